import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { findObstacle, leftOut, toEnding } from '../context/skip-reason.ts';
import { findRule, type Rule, rules } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { INVARIANTS } from '../invariants.ts';
import { NoWebSocketError, type Outcome, type Result } from '../result.ts';

/** What is known about one sentence of a rule. */
type Part = Pick<
  Result,
  'outcome' | 'reason' | 'findings' | 'notes' | 'requests' | 'assertions' | 'durationMs' | 'scope'
> & { id: SentenceId };

/**
 * Runs checks in parallel. The checks that wait start first: a long check that starts last would run alone.
 *
 * @returns a function that reports the rules with invariants. To be called when all calls of the run have been made;
 *   the other rules are reported as soon as their checks have ended
 */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<() => void> {
  const parts = new Map<Rule, Part[]>(rules.map((rule) => [rule, []]));
  const ordered = checks.toSorted((a, b) => Number(b.waits ?? false) - Number(a.waits ?? false));
  const byRule = Map.groupBy(ordered, ({ id }) => findRule(id));
  await inParallel(ordered, run.settings.concurrency, async (check) => {
    const rule = findRule(check.id);
    const ended = parts.get(rule) as Part[];
    ended.push(await runCheck(run, check));
    const isLast = ended.length === byRule.get(rule)?.length;
    if (isLast && !hasInvariant(rule)) onResult(toResult(rule, ended));
  });
  return () => {
    for (const [rule, ended] of parts) {
      if (hasInvariant(rule)) onResult(toResult(rule, [...ended, ...observe(run, ended)]));
    }
  };
}

function hasInvariant({ sentences }: Rule): boolean {
  return Object.keys(sentences).some((id) => id in INVARIANTS);
}

/** Runs a check; whatever happens becomes its result. */
async function runCheck(run: Run, check: Check): Promise<Part> {
  const { id, needs } = check;
  const rule = findRule(id);
  const context = new CheckContext(run, id, rule.places[0] ?? rule.id);
  const started = performance.now();
  const { outcome, reason } =
    leftOut(run, id) ?? findObstacle(run, rule.api, needs) ?? (await end(check, context, run));
  return {
    id,
    // A violation that was found counts even if the check did not finish.
    outcome: context.record.findings.length > 0 ? 'fail' : outcome,
    ...(reason !== undefined && { reason }),
    ...context.record,
    durationMs: Math.round(performance.now() - started),
  };
}

async function end(
  check: Check,
  context: CheckContext,
  run: Run,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  const hasCounted = () => check.id in INVARIANTS || context.record.assertions > 0;
  try {
    await check.run(context);
  } catch (error) {
    // Its other calls count.
    if (!(error instanceof NoWebSocketError && hasCounted())) return toEnding(error, run);
    context.note(error.message);
  }
  if (hasCounted()) return { outcome: 'pass' };
  // Some checks continue without a response that they could not get.
  if (run.signal.aborted) return { outcome: 'skip', reason: String(run.signal.reason) };
  return { outcome: 'error', reason: 'bug in the suite: the check made no assertions' };
}

/** Returns what all responses of the run show about the invariants of a rule. */
function observe(run: Run, checked: readonly Part[]): Part[] {
  const ids = new Set(checked.map(({ id }) => id).filter((id) => id in INVARIANTS));
  return [...ids].flatMap((id): Part[] => {
    const part = { id, notes: [], requests: 0, durationMs: 0 };
    const observed = run.observer.resultOf(id);
    if (observed === undefined) {
      // Otherwise, its check says why it could not make such calls.
      const isChecked = checked.some((one) => one.id === id && one.outcome === 'pass');
      const reason = 'the run got no response that the rule applies to';
      return isChecked ? [{ ...part, outcome: 'skip', reason, findings: [], assertions: 0 }] : [];
    }
    const { responses, violations, findings, assertions } = observed;
    const scope = violations > 0 ? { scope: { violations, responses } } : {};
    const outcome = violations > 0 ? 'fail' : 'pass';
    return [{ ...part, outcome, findings, ...scope, assertions }];
  });
}

/** The outcome of a rule is the first of these that one of its sentences has. */
const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

function toResult(rule: Rule, parts: readonly Part[]): Result {
  const outcome =
    PRECEDENCE.find((one) => parts.some((part) => part.outcome === one)) ?? 'disabled';
  const isOnly = Object.keys(rule.sentences).length === 1;
  const decisive = parts.find((part) => part.outcome === outcome);
  const isShared = parts.every(({ reason }) => reason === decisive?.reason);
  const scope = parts.find((part) => part.scope !== undefined)?.scope;
  const passed = new Set(parts.filter((part) => part.outcome === 'pass').map(({ id }) => id));
  const unchecked = parts.filter((part) => part.outcome === 'disabled' && !passed.has(part.id));
  const sum = (field: 'requests' | 'assertions' | 'durationMs') =>
    parts.reduce((total, part) => total + part[field], 0);
  return {
    engine: 'rules',
    id: rule.id,
    level: rule.level,
    statement: rule.statement,
    rules: [rule.id],
    passed: Object.keys(rule.sentences).filter((id) => {
      // A sentence has two parts if there is a check and an invariant for it.
      const ofSentence = parts.filter((part) => part.id === id);
      return ofSentence.length > 0 && ofSentence.every((part) => part.outcome === 'pass');
    }),
    operations: [...rule.operations],
    outcome,
    ...(decisive?.reason !== undefined && {
      reason: isOnly || isShared ? decisive.reason : `${decisive.id}: ${decisive.reason}`,
    }),
    ...(scope && { scope }),
    findings: parts.flatMap(({ id, findings }) =>
      findings.map((finding) => (isOnly ? finding : { ...finding, sentence: id })),
    ),
    notes: [
      ...parts.flatMap(({ notes }) => notes),
      ...(outcome === 'pass' ? unchecked : []).map(
        ({ id, reason }) => `${id} was not checked: ${reason}`,
      ),
    ],
    requests: sum('requests'),
    assertions: sum('assertions'),
    durationMs: sum('durationMs'),
  };
}
