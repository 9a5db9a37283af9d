import { type Check, CheckContext } from '../context/check-context.ts';
import type { Run } from '../context/run.ts';
import { decide, type Part } from './outcome.ts';
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
  const context = new CheckContext(run, id, id);
  const started = performance.now();
  const decided = whyNotRun(run, check) ?? (await attempt(check, context));
  const durationMs = Math.round(performance.now() - started);
  const { notes } = context.record;
  return { id, findings: [], notes, durationMs, ...decided };
}

async function attempt({ api, perform, callsOnly = false }: Check, context: CheckContext) {
  const { run, record } = context;
  let error: unknown;
  try {
    await perform(context);
  } catch (thrown) {
    error = thrown;
  }
  if (!callsOnly && record.assertions === 0) error ??= new Error('the check made no assertions');
  return decide(run, api, [...record.findings], error);
}
