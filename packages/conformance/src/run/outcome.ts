import { NoWebSocketError, skipped, toNotRun } from '../not-run.ts';
import type { Outcome, Scope } from '../result.ts';

/** An outcome; with a reason, unless it is `pass` or `fail`. */
export interface Decided {
  outcome: Outcome;
  reason?: string | undefined;
}

/**
 * Decides about a check; `error` is why it did not finish, if it did not. The first line that applies counts:
 *
 * - it has findings, whether or not it finished: `fail`
 * - it lacks only WebSockets, and has made assertions: `pass`
 * - it did not finish: `disabled`, `skip` or `error`, depending on its error
 * - it has made no assertions: `error`
 * - otherwise: `pass`
 */
export function decideCheck(
  check: { findings: number; hasAsserted: boolean; error?: unknown },
  signal: AbortSignal,
): Decided {
  const { findings, hasAsserted, error } = check;
  if (findings > 0) return { outcome: 'fail' };
  if (error instanceof NoWebSocketError && hasAsserted) return { outcome: 'pass' };
  if (error !== undefined) return toNotRun(error, signal);
  if (!hasAsserted) return toNotRun(new Error('the check made no assertions'), signal);
  return { outcome: 'pass' };
}

/**
 * Decides about the invariant of a sentence, next to the checks that make calls for it:
 *
 * - a response violates it: `fail`
 * - responses conform: `pass`
 * - it applies to no response, although a check has passed: `skip`
 * - otherwise: nothing, because the checks say why they made no such calls
 */
export function decideInvariant(
  scope: Scope | undefined,
  checks: readonly Decided[],
): Decided | undefined {
  if (scope) return { outcome: scope.violations > 0 ? 'fail' : 'pass' };
  const isChecked = checks.some(({ outcome }) => outcome === 'pass');
  return isChecked ? skipped('the run got no response that the rule applies to') : undefined;
}

/** The outcome of a sentence is the first of these that a check or its invariant has; that of a rule, a sentence. */
const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

export function findDecisive<Item extends Decided>(items: readonly Item[]): Item {
  const rank = ({ outcome }: Item) => PRECEDENCE.indexOf(outcome);
  return items.toSorted((a, b) => rank(a) - rank(b))[0] as Item;
}

/**
 * Returns why a sentence with this outcome was not checked, or only partly: something that should prove it, too, is
 * disabled. A failure needs no other proof.
 */
export function findUnchecked(outcome: Outcome, items: readonly Decided[]): string | undefined {
  if (outcome === 'fail') return undefined;
  const missing = outcome === 'pass' ? 'disabled' : outcome;
  return items.find((item) => item.outcome === missing)?.reason;
}
