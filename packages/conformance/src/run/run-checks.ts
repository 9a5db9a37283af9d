import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { whyNotRun } from '../context/why-not-run.ts';
import { findRule, placeOf, type Rule, rules } from '../contract/rules.ts';
import { isInvariant } from '../invariants/observer.ts';
import { FailError, type NotRun, NoWebSocketError, toNotRun } from '../not-run.ts';
import type { Result } from '../result.ts';
import { mergeParts, type Part } from './merge-parts.ts';

/** The parts of the rules with invariants, which are not reported before all other calls of the run. */
type Observed = [rule: Rule, checked: Part[]][];

/** Runs the checks, the long ones first, and reports the rules without invariants. */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<Observed> {
  const ordered = checks.toSorted((a, b) => Number(b.waits ?? false) - Number(a.waits ?? false));
  const waiting = Map.groupBy(ordered, ({ id }) => findRule(id));
  const parts = new Map<Rule, Part[]>(rules.map((rule) => [rule, []]));
  await inParallel(ordered, run.settings.concurrency, async (check) => {
    const rule = findRule(check.id);
    const ended = parts.get(rule) as Part[];
    ended.push(await runCheck(run, check, rule));
    const isLast = ended.length === waiting.get(rule)?.length;
    if (isLast && !hasInvariant(rule)) onResult(mergeParts(rule, ended));
  });
  return [...parts].filter(([rule]) => hasInvariant(rule));
}

export function reportInvariants(
  { observer }: Run,
  observed: Observed,
  onResult: (result: Result) => void,
): void {
  for (const [rule, checked] of observed) {
    onResult(mergeParts(rule, [...checked, ...listObserved(observer, checked)]));
  }
}

function hasInvariant({ sentences }: Rule): boolean {
  return Object.keys(sentences).some(isInvariant);
}

async function runCheck(run: Run, check: Check, rule: Rule): Promise<Part> {
  const context = new CheckContext(run, check.id, placeOf(rule));
  const started = performance.now();
  const notRun = whyNotRun(run, check) ?? (await attempt(check, context, run));
  const { findings, notes } = context.record;
  const durationMs = Math.round(performance.now() - started);
  const shown = { id: check.id, findings, notes, durationMs };
  // A violation that was found counts even if the check did not finish.
  if (findings.length > 0) return { ...shown, outcome: 'fail' };
  return { ...shown, ...(notRun ?? { outcome: 'pass' }) };
}

/** Runs a check; returns why it did not finish, if it did not. */
async function attempt(check: Check, context: CheckContext, run: Run): Promise<NotRun | undefined> {
  const isDone = () => !check.asserts || context.record.assertions > 0;
  try {
    await check.run(context);
  } catch (error) {
    // Once the run is over, assertions leave no findings.
    if (error instanceof FailError && !run.signal.aborted) return undefined;
    // Its other calls count.
    if (!(error instanceof NoWebSocketError && isDone())) return toNotRun(error, run.signal);
    context.note(error.message);
  }
  // Some checks continue without a response that they could not get.
  const nothing = new Error('the check made no assertions');
  return isDone() ? undefined : toNotRun(nothing, run.signal);
}

/** Returns what all responses of the run show about the invariants of a rule. */
function listObserved(observer: Run['observer'], checked: readonly Part[]): Part[] {
  const ids = new Set(checked.map(({ id }) => id).filter(isInvariant));
  return [...ids].flatMap((id): Part | [] => {
    const observed = observer.resultOf(id);
    if (observed?.violations === 0) return { id, outcome: 'pass', findings: [] };
    if (observed) {
      const { findings, ...scope } = observed;
      return { id, outcome: 'fail', findings, scope };
    }
    // Otherwise, its check says why it could not make such calls.
    const isChecked = checked.some((part) => part.id === id && part.outcome === 'pass');
    const reason = 'the run got no response that the rule applies to';
    return isChecked ? { id, outcome: 'skip', reason, findings: [] } : [];
  });
}
