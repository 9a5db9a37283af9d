import type { PartialResult } from '../results/result.ts';
import { type Check, CheckContext } from './check-context.ts';
import { decide, whyNotRun } from './outcome.ts';
import type { Run } from './run.ts';

/** Runs the checks, and returns what each shows about its sentence. */
export async function runChecks(run: Run, checks: readonly Check[]): Promise<PartialResult[]> {
  const { concurrency, onCheck } = run.settings;
  return inParallel(checks, concurrency, async (check) => {
    const part = await runCheck(run, check);
    const { id, outcome } = part;
    const isViolated = (run.observer.tallyOf(id)?.violations ?? 0) > 0;
    if (outcome !== 'disabled') onCheck({ id, outcome: isViolated ? 'fail' : outcome });
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

async function runCheck(run: Run, check: Check): Promise<PartialResult> {
  const { id } = check;
  const context = new CheckContext(run, id, id);
  const started = performance.now();
  // Why it did not run, or did not finish.
  let error: unknown = whyNotRun(run, check);
  try {
    if (error === undefined) await check.perform(context);
  } catch (thrown) {
    error = thrown;
  }
  const durationMs = Math.round(performance.now() - started - context.waitedMs);
  const { findings, notes } = context.record;
  return { ...decide(run, id, [...findings], error), notes, durationMs };
}
