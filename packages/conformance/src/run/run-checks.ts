import { type Check, CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { findRule, placeOf } from '../contract/rules.ts';
import { type Decision, decideCheck, type Part } from './outcome.ts';
import { whyRejected } from './prepare.ts';
import { whyNotRun } from './why-not-run.ts';

/** Runs the checks, and returns what each shows about its sentence. */
export async function runChecks(run: Run, checks: readonly Check[]): Promise<Part[]> {
  const { concurrency, onCheck } = run.settings;
  return inParallel(checks, concurrency, async (check) => {
    const part = await runCheck(run, check);
    if (part.outcome !== 'disabled') onCheck({ id: part.id, outcome: part.outcome });
    return part;
  });
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
  const rejected = findings > 0 ? await whyRejected(run, check.api) : undefined;
  return decideCheck({ findings, hasAsserted, error, rejected }, signal);
}
