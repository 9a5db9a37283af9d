import { type Check, CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { findRule, placeOf, type Rule, rules } from '../contract/rules.ts';
import type { Result } from '../result.ts';
import { type Decision, decideCheck, decideInvariant, decideRule, type Part } from './outcome.ts';
import { whyRejected } from './prepare.ts';
import { whyNotRun } from './why-not-run.ts';

/**
 * Runs the checks, and reports the rules without invariants. Returns what the checks show about the others, which are
 * reported after the last call of the run.
 */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<Map<Rule, Part[]>> {
  const waiting = Map.groupBy(checks, ({ id }) => findRule(id));
  const parts = new Map<Rule, Part[]>(rules.map((rule) => [rule, []]));
  await inParallel(checks, run.settings.concurrency, async (check) => {
    const rule = findRule(check.id);
    const ended = parts.get(rule) as Part[];
    ended.push(await runCheck(run, check));
    const isLast = ended.length === waiting.get(rule)?.length;
    if (isLast && !hasInvariant(run, rule)) onResult(decideRule(rule, ended));
  });
  return new Map([...parts].filter(([rule]) => hasInvariant(run, rule)));
}

export function reportInvariants(
  { observer }: Run,
  checked: ReadonlyMap<Rule, readonly Part[]>,
  onResult: (result: Result) => void,
): void {
  for (const [rule, ofRule] of checked) {
    const bySentence = Map.groupBy(ofRule, ({ id }) => id);
    const parts = [...bySentence].flatMap(([id, ofSentence]): Part[] => {
      if (!observer.observes(id)) return ofSentence;
      const { findings = [], scope } = observer.resultOf(id) ?? {};
      const decision = decideInvariant(scope, ofSentence);
      return decision ? [...ofSentence, { id, findings, scope, ...decision }] : ofSentence;
    });
    onResult(decideRule(rule, parts));
  }
}

function hasInvariant({ observer }: Run, { sentences }: Rule): boolean {
  return Object.keys(sentences).some((id) => observer.observes(id));
}

/** Returns the results in order of completion. */
export async function inParallel<Item, Value>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const waiting = [...items];
  const results: Value[] = [];
  const worker = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: max }, worker));
  return results;
}

async function runCheck(run: Run, check: Check): Promise<Part> {
  const { id } = check;
  const context = new CheckContext(run, id, placeOf(findRule(id)));
  const started = performance.now();
  const decision = whyNotRun(run, check) ?? (await attempt(check, context));
  const durationMs = Math.round(performance.now() - started);
  const { notes, ...record } = context.record;
  const hasFailed = decision.outcome === 'fail';
  const findings = hasFailed ? record.findings.map((each) => ({ ...each, sentence: id })) : [];
  return { id, findings, notes, durationMs, ...decision };
}

async function attempt(check: Check, context: CheckContext): Promise<Decision> {
  let error: unknown;
  try {
    await check.run(context);
  } catch (thrown) {
    error = thrown;
  }
  const { record, run, signal } = context;
  const hasAsserted = run.observer.observes(check.id) || record.assertions > 0;
  const findings = record.findings.length;
  const notRun = findings > 0 ? await whyRejected(run, check.api) : undefined;
  return notRun ?? decideCheck({ findings, hasAsserted, error }, signal);
}
