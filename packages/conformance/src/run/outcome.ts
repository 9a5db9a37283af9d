/*
 * How a rule gets its outcome. The first line that applies counts:
 *
 * | A check has findings, but its credentials expired in the run   | `skip`                                          |
 * | It has findings, finished or not                               | `fail`                                          |
 * | It did not finish                                              | `disabled`, `skip` or `error`, by what it threw |
 * | It has made no assertions, and its sentence has no invariant   | `error`                                         |
 * | Otherwise                                                      | `pass`                                          |
 *
 * | A response violates the invariant of a sentence                | `fail`                                          |
 * | It applies to responses                                        | `pass`                                          |
 * | It applies to none, although a check made calls for it         | `skip`                                          |
 * | Otherwise                                                      | none: the checks say why they made no calls     |
 *
 * A sentence gets the first outcome in `PRECEDENCE` that one of these parts has, and a rule the first that one of its
 * sentences has. `report/verdict.ts` says what outcomes mean for the run.
 */
import { type Rule, rules } from '../contract/rules.ts';
import type { Observer } from '../invariants/observer.ts';
import { type NotRun, skipped, toNotRun } from '../not-run.ts';
import {
  type Finding,
  type Outcome,
  type Result,
  type Scope,
  type SentenceResult,
  toResult,
} from '../result.ts';

const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

export type Decision = Pick<SentenceResult, 'outcome' | 'reason'>;

/** What one check, or the invariant, shows about a sentence. */
export interface Part extends SentenceResult {
  findings: Finding[];
  notes?: string[];
  durationMs?: number;
}

/** @param check `error` is why it did not finish, and `rejected` why its findings prove nothing */
export function decideCheck(
  check: { findings: number; hasAsserted: boolean; error?: unknown; rejected?: NotRun | undefined },
  signal: AbortSignal,
): Decision {
  const { findings, hasAsserted, error, rejected } = check;
  if (findings > 0) return rejected ?? { outcome: 'fail' };
  if (error !== undefined) return toNotRun(error, signal);
  if (!hasAsserted) return toNotRun(new Error('the check made no assertions'), signal);
  return { outcome: 'pass' };
}

export function decideInvariant(
  scope: Scope | undefined,
  checks: readonly Decision[],
): Decision | undefined {
  if (scope) return { outcome: scope.violations > 0 ? 'fail' : 'pass' };
  const isChecked = checks.some(({ outcome }) => outcome === 'pass');
  return isChecked ? skipped('the run got no response that the rule applies to') : undefined;
}

/** Decides every rule by what its checks show, and what the invariants of its sentences show after the last call. */
export function decideRules(parts: readonly Part[], observer: Observer): Result[] {
  const bySentence = Map.groupBy(parts, ({ id }) => id);
  return rules.map((rule) => {
    const ofRule = Object.keys(rule.sentences).flatMap((id): Part[] => {
      const checks = bySentence.get(id) ?? [];
      const { findings = [], scope } = observer.resultOf(id) ?? {};
      const decision = observer.observes(id) && decideInvariant(scope, checks);
      return decision ? [...checks, { id, findings, scope, ...decision }] : checks;
    });
    return decideRule(rule, ofRule);
  });
}

export function decideRule(rule: Rule, parts: readonly Part[]): Result {
  const sentences = [...Map.groupBy(parts, ({ id }) => id)].map(([id, ofSentence]) =>
    decideSentence(id, ofSentence),
  );
  const { id, outcome, reason } = findDecisive(sentences);
  const isShared = sentences.every((sentence) => sentence.reason === reason);
  const isDecided = outcome === 'pass' || outcome === 'fail';
  return toResult(rule, {
    rules: [rule.id],
    outcome,
    ...(!isDecided && { reason: isShared ? reason : `${id}: ${reason}` }),
    sentences,
    findings: parts.flatMap(({ findings }) => findings),
    notes: parts.flatMap(({ notes = [] }) => notes),
    durationMs: parts.reduce((total, { durationMs = 0 }) => total + durationMs, 0),
  });
}

function decideSentence(id: string, parts: readonly Part[]): SentenceResult {
  const { outcome } = findDecisive(parts);
  // A failure needs no other proof, but a pass is partial if something that should prove it, too, is disabled.
  const unproved = outcome === 'pass' ? 'disabled' : outcome;
  const reason = parts.find((part) => part.outcome === unproved)?.reason;
  const scope = parts.find((part) => part.scope)?.scope;
  return { id, outcome, ...(reason && { reason }), ...(scope && { scope }) };
}

function findDecisive<Item extends Decision>(items: readonly Item[]): Item {
  const rank = ({ outcome }: Item) => PRECEDENCE.indexOf(outcome);
  return items.toSorted((a, b) => rank(a) - rank(b))[0] as Item;
}
