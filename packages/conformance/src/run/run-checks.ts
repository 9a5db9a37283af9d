import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { findObstacle, leftOut, type SkipReason, toEnding } from '../context/skip-reason.ts';
import { findRule, type Rule, rules } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { INVARIANTS } from '../invariants.ts';
import { NoWebSocket, type Outcome, type Result } from '../result.ts';

/** What is known about one sentence of a rule. */
type Part = Pick<
  Result,
  'outcome' | 'reason' | 'findings' | 'notes' | 'requests' | 'assertions' | 'durationMs' | 'scope'
> & {
  id: SentenceId;
  /** How its check ended, even if the operator has only selected sentences that the check makes calls for. */
  ending?: Pick<Result, 'outcome' | 'reason'>;
};

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
    const all = [...parts.values()].flat();
    for (const [rule, ended] of parts) {
      if (hasInvariant(rule)) onResult(toResult(rule, [...ended, ...observe(run, rule, all)]));
    }
  };
}

function hasInvariant({ sentences }: Rule): boolean {
  return Object.keys(sentences).some((id) => id in INVARIANTS);
}

const NOTHING_FOUND = { findings: [], notes: [], assertions: 0, durationMs: 0 };

/** Runs a check; whatever happens becomes its result. */
async function runCheck(run: Run, check: Check): Promise<Part> {
  const rule = findRule(check.id);
  const context = new CheckContext(run, check.id, rule.places[0] ?? rule.id);
  const started = performance.now();
  const ending = checkSkipReason(run, check) ?? (await end(check, context, run));
  const unselected = leftOut(run, check.id);
  const { findings } = context.record;
  if (unselected !== undefined) {
    // It has only made calls for other sentences.
    const { requests } = context.record;
    return { id: check.id, ...unselected, ...NOTHING_FOUND, requests, ending };
  }
  return {
    id: check.id,
    ending,
    // A violation that was found counts even if the check did not finish.
    outcome: findings.length > 0 ? 'fail' : ending.outcome,
    ...(ending.reason !== undefined && { reason: ending.reason }),
    ...context.record,
    durationMs: Math.round(performance.now() - started),
  };
}

function checkSkipReason(run: Run, { id, needs }: Check): SkipReason | undefined {
  const unselected = provokes(run, id) ? undefined : leftOut(run, id);
  return unselected ?? findObstacle(run, findRule(id).api, needs);
}

/** Whether a check makes calls whose responses an invariant that the operator has selected is about. */
function provokes(run: Run, id: SentenceId): boolean {
  const sentences = Object.keys(INVARIANTS) as SentenceId[];
  return sentences.some(
    (sentence) => provokingCheck(sentence) === id && leftOut(run, sentence) === undefined,
  );
}

/** Returns whose check makes calls with responses that a sentence is about. */
function provokingCheck(id: SentenceId): SentenceId {
  return INVARIANTS[id]?.provokedBy ?? id;
}

async function end(
  check: Check,
  context: CheckContext,
  run: Run,
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  try {
    await check.run(context);
  } catch (error) {
    // Its other calls count.
    const isPartly = error instanceof NoWebSocket && context.record.assertions > 0;
    if (!isPartly) return toEnding(error, run);
    context.note(error.message);
  }
  const { requests, assertions } = context.record;
  if (requests > 0 && (assertions > 0 || check.id in INVARIANTS)) return { outcome: 'pass' };
  // Some checks continue without a response that they could not get.
  if (run.signal.aborted) return { outcome: 'skip', reason: String(run.signal.reason) };
  return { outcome: 'error', reason: 'bug in the suite: the check made no assertions' };
}

/** Returns what all responses of the run show about the invariants of a rule. */
function observe(run: Run, { sentences }: Rule, checked: readonly Part[]): Part[] {
  const ids = Object.keys(sentences).filter((id) => id in INVARIANTS) as SentenceId[];
  return ids.flatMap((id): Part[] => {
    const unselected = leftOut(run, id);
    if (unselected !== undefined) {
      const isListed = checked.some((part) => part.id === id);
      return isListed ? [] : [{ ...NOTHING_FOUND, id, ...unselected, requests: 0 }];
    }
    const observed = run.observer.resultOf(id);
    if (observed === undefined) return [toUnmet(id, checked)];
    const { responses, violations, findings, assertions } = observed;
    const scope = violations > 0 ? { scope: { violations, responses } } : {};
    const outcome = violations > 0 ? 'fail' : 'pass';
    return [{ ...NOTHING_FOUND, id, outcome, findings, ...scope, assertions, requests: 0 }];
  });
}

/** An invariant that met no response ends like the check that provokes such responses, unless that one succeeded. */
function toUnmet(id: SentenceId, checked: readonly Part[]): Part {
  const { ending } = checked.find((part) => part.id === provokingCheck(id)) ?? {};
  const isObstacle = ending !== undefined && !['pass', 'fail'].includes(ending.outcome);
  const reason = 'no response of the run was one that it is about';
  const unmet = isObstacle ? ending : { outcome: 'skip' as const, reason };
  return { ...NOTHING_FOUND, id, ...unmet, requests: 0 };
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
  const unchecked = parts.filter((part) => part.outcome === 'disabled' && outcome === 'pass');
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
      ...unchecked.map(({ id, reason }) => `${id} was not checked: ${reason}`),
    ],
    requests: sum('requests'),
    assertions: sum('assertions'),
    durationMs: sum('durationMs'),
  };
}
