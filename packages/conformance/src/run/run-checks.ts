import { type Check, CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { findRule, placeOf, type Rule, rules } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { isInvariant } from '../invariants/observer.ts';
import { NoWebSocketError } from '../not-run.ts';
import { type Finding, type Result, type Scope, toResult } from '../result.ts';
import { inParallel } from './in-parallel.ts';
import {
  type Decided,
  decideCheck,
  decideInvariant,
  findDecisive,
  findUnchecked,
} from './outcome.ts';
import { whyNotRun } from './why-not-run.ts';

/** What one check, or an invariant, shows about a sentence. */
interface Part extends Decided {
  id: SentenceId;
  findings: Finding[];
  scope?: Scope | undefined;
  notes?: string[];
  durationMs?: number;
}

/** The parts of the rules with invariants, which are reported after the last call of the run. */
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
    const bySentence = Map.groupBy(checked, ({ id }) => id);
    const parts = [...bySentence].flatMap(([id, ofSentence]): Part[] => {
      if (!isInvariant(id)) return ofSentence;
      const { findings = [], scope } = observer.resultOf(id) ?? {};
      const decided = decideInvariant(scope, ofSentence);
      const shown = findings.length > 0 && { scope };
      return decided ? [...ofSentence, { id, findings, ...shown, ...decided }] : ofSentence;
    });
    onResult(mergeParts(rule, parts));
  }
}

function hasInvariant({ sentences }: Rule): boolean {
  return Object.keys(sentences).some(isInvariant);
}

async function runCheck(run: Run, check: Check, rule: Rule): Promise<Part> {
  const context = new CheckContext(run, check.id, placeOf(rule));
  const { findings, notes } = context.record;
  const started = performance.now();
  const decided = whyNotRun(run, check) ?? (await attempt(check, context));
  const durationMs = Math.round(performance.now() - started);
  return { id: check.id, findings, notes, durationMs, ...decided };
}

async function attempt(check: Check, context: CheckContext): Promise<Decided> {
  let error: unknown;
  try {
    await check.run(context);
  } catch (thrown) {
    error = thrown;
  }
  const { record, signal } = context;
  const hasAsserted = !check.asserts || record.assertions > 0;
  const findings = record.findings.length;
  if (error instanceof NoWebSocketError && hasAsserted) context.note(error.message);
  return decideCheck({ findings, hasAsserted, error }, signal);
}

function mergeParts(rule: Rule, parts: readonly Part[]): Result {
  const sentences = [...Map.groupBy(parts, ({ id }) => id)].map(([id, ofSentence]) => {
    const { outcome, reason } = findDecisive(ofSentence);
    return { id, outcome, reason, unchecked: findUnchecked(outcome, ofSentence) };
  });
  const { id, outcome, reason } = findDecisive(sentences);
  const isShared = sentences.every((sentence) => sentence.reason === reason);
  const isDecided = outcome === 'pass' || outcome === 'fail';
  const unchecked = sentences.flatMap((sentence) => {
    const what = sentence.outcome === 'pass' ? 'only partly' : 'not';
    const note = `${sentence.id} was ${what} checked: ${sentence.unchecked}`;
    return isDecided && sentence.unchecked !== undefined ? note : [];
  });
  const unfinished = sentences.filter(
    (sentence) => sentence.outcome === 'skip' || sentence.outcome === 'error',
  );
  const passed: string[] = sentences
    .filter((sentence) => sentence.outcome === 'pass' && sentence.unchecked === undefined)
    .map((sentence) => sentence.id);
  const isProved = Object.keys(rule.sentences).every((sentence) => passed.includes(sentence));
  return toResult(rule, {
    rules: [rule.id],
    passed: [...new Set([...(isProved ? [rule.id] : []), ...passed])],
    outcome,
    reason: reason === undefined || isShared ? reason : `${id}: ${reason}`,
    scopes: Object.fromEntries(parts.flatMap(({ id, scope }) => (scope ? [[id, scope]] : []))),
    findings: parts.flatMap((part) =>
      part.findings.map((finding) => ({ ...finding, sentence: part.id })),
    ),
    unchecked,
    unfinished: outcome === 'fail' ? unfinished.map((sentence) => sentence.id) : [],
    notes: parts.flatMap(({ notes = [] }) => notes),
    durationMs: parts.reduce((total, { durationMs = 0 }) => total + durationMs, 0),
  });
}
