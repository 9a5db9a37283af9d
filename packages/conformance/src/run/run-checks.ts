import { type Check, CheckContext } from '../context/check-context.ts';
import { inParallel, type Run } from '../context/run.ts';
import { findExclusion, findObstacle, toEnding } from '../context/skip-reason.ts';
import { findRule, type Rule, rules } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { INVARIANTS } from '../invariants/invariants.ts';
import { NoWebSocketError, type Outcome, type Result, type Scope } from '../result.ts';

/** The result of one check of a sentence, or of its invariant. */
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
    const isChecked = checked.some((part) => part.id === id && part.outcome === 'pass');
    const reason = 'the run got no response that the rule applies to';
    return isChecked ? [{ id, outcome: 'skip', reason, findings: [] }] : [];
  });
}

/** The outcome of a sentence is the first of these that one of its parts has; that of a rule, one of its sentences. */
const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

function findDecisive<Item extends { outcome: Outcome }>(items: readonly Item[]): Item {
  const rank = ({ outcome }: Item) => PRECEDENCE.indexOf(outcome);
  return items.toSorted((a, b) => rank(a) - rank(b))[0] as Item;
}

/** Returns the result of a sentence. */
function mergeParts(id: SentenceId, parts: readonly Part[]) {
  const { outcome, reason } = findDecisive(parts);
  return {
    id,
    outcome,
    reason,
    /** Why a part is disabled: then even a pass does not prove the sentence. */
    unchecked: parts.find((part) => part.outcome === 'disabled')?.reason,
    scope: parts.find((part) => part.scope)?.scope,
    findings: parts.flatMap((part) => part.findings.map((each) => ({ ...each, sentence: id }))),
    notes: parts.flatMap(({ notes = [] }) => notes),
    durationMs: parts.reduce((total, { durationMs = 0 }) => total + durationMs, 0),
  };
}

/** A sentence passes only if all its parts do. */
const isProved = ({ outcome, unchecked }: ReturnType<typeof mergeParts>) =>
  outcome === 'pass' && unchecked === undefined;

function toResult(rule: Rule, parts: readonly Part[]): Result {
  const { id, level, statement } = rule;
  const byId = Map.groupBy(parts, (part) => part.id);
  const sentences = [...byId].map(([sentence, its]) => mergeParts(sentence, its));
  const decisive = findDecisive(sentences);
  const { outcome } = decisive;
  const isShared = sentences.every(({ reason }) => reason === decisive.reason);
  const unchecked = sentences.filter((sentence) => sentence.unchecked !== undefined);
  return {
    engine: 'rules',
    id,
    level,
    statement,
    rules: [id],
    passed: sentences.filter(isProved).map((sentence) => sentence.id),
    outcome,
    reason: isShared ? decisive.reason : decisive.reason && `${decisive.id}: ${decisive.reason}`,
    scopes: Object.fromEntries(
      sentences.flatMap((sentence) => (sentence.scope ? [[sentence.id, sentence.scope]] : [])),
    ),
    findings: sentences.flatMap(({ findings }) => findings),
    notes: [
      ...sentences.flatMap(({ notes }) => notes),
      ...(outcome === 'pass' ? unchecked : []).map((sentence) => {
        const what = sentence.outcome === 'pass' ? 'only partly' : 'not';
        return `${sentence.id} was ${what} checked: ${sentence.unchecked}`;
      }),
    ],
    durationMs: sentences.reduce((total, { durationMs }) => total + durationMs, 0),
  };
}
