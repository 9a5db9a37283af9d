import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { findExclusion, findObstacle, toEnding } from '../context/skip-reason.ts';
import { findRule, type Rule, rules } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { INVARIANTS } from '../invariants/invariants.ts';
import { NoWebSocketError, type Outcome, type Result, type Scope } from '../result.ts';

/** What is known about one sentence of a rule: from its check, or from its invariant. */
interface Part extends Pick<Result, 'outcome' | 'reason' | 'findings'> {
  id: SentenceId;
  scope?: Scope;
  notes?: string[];
  durationMs?: number;
}

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
    ended.push(await runCheck(run, check, rule));
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

async function runCheck(run: Run, check: Check, rule: Rule): Promise<Part> {
  const { id, needs } = check;
  const context = new CheckContext(run, id, rule.places[0] ?? rule.id);
  const started = performance.now();
  const ending =
    findExclusion(run, id) ??
    findObstacle(run, rule.api, needs) ??
    (await end(check, context, run));
  const { findings, notes } = context.record;
  const durationMs = Math.round(performance.now() - started);
  // A violation that was found counts even if the check did not finish.
  const outcome = findings.length > 0 ? 'fail' : ending.outcome;
  return { id, ...ending, outcome, findings, notes, durationMs };
}

async function end(
  check: Check,
  context: CheckContext,
  run: Run,
): Promise<Pick<Part, 'outcome' | 'reason'>> {
  const hasCounted = () => !check.asserts || context.record.assertions > 0;
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
function observe({ observer }: Run, checked: readonly Part[]): Part[] {
  const ids = new Set(checked.map(({ id }) => id).filter((id) => id in INVARIANTS));
  return [...ids].flatMap((id): Part[] => {
    const observed = observer.resultOf(id);
    if (observed !== undefined) {
      const { responses, violations, findings } = observed;
      if (violations === 0) return [{ id, outcome: 'pass', findings }];
      return [{ id, outcome: 'fail', findings, scope: { violations, responses } }];
    }
    // Otherwise, its check says why it could not make such calls.
    const isChecked = checked.some((one) => one.id === id && one.outcome === 'pass');
    const reason = 'the run got no response that the rule applies to';
    return isChecked ? [{ id, outcome: 'skip', reason, findings: [] }] : [];
  });
}

/** The outcome of a rule is the first of these that one of its sentences has. */
const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

function toResult(rule: Rule, parts: readonly Part[]): Result {
  const outcome =
    PRECEDENCE.find((one) => parts.some((part) => part.outcome === one)) ?? 'disabled';
  const { id, level, statement } = rule;
  const sentences = Object.keys(rule.sentences);
  const isOnly = sentences.length === 1;
  const decisive = parts.find((part) => part.outcome === outcome);
  const isShared = isOnly || parts.every(({ reason }) => reason === decisive?.reason);
  const reason = isShared
    ? decisive?.reason
    : decisive?.reason && `${decisive.id}: ${decisive.reason}`;
  // A sentence has two parts if there is a check and an invariant for it.
  const passed = sentences.filter((sentence) => {
    const ofSentence = parts.filter((part) => part.id === sentence);
    return ofSentence.length > 0 && ofSentence.every((part) => part.outcome === 'pass');
  });
  const passing = parts.filter((part) => part.outcome === 'pass');
  const unchecked = parts.filter(
    (part) => part.outcome === 'disabled' && !passing.some((other) => other.id === part.id),
  );
  return {
    engine: 'rules',
    id,
    level,
    statement,
    rules: [id],
    passed,
    outcome,
    reason,
    scopes: Object.fromEntries(
      parts.flatMap((part) => (part.scope ? [[part.id, part.scope]] : [])),
    ),
    findings: parts.flatMap((part) =>
      part.findings.map((finding) => ({ ...finding, sentence: part.id })),
    ),
    notes: [
      ...parts.flatMap(({ notes = [] }) => notes),
      ...(outcome === 'pass' ? unchecked : []).map(
        (part) => `${part.id} was not checked: ${part.reason}`,
      ),
    ],
    durationMs: parts.reduce((total, part) => total + (part.durationMs ?? 0), 0),
  };
}
