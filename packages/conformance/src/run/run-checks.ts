import type { Check } from '../checks/check.ts';
import type { Result } from '../result.ts';
import type { Run } from './run.ts';
import { runCheck } from './run-check.ts';

/** Runs checks, several at a time, each result as soon as it is known. */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<void> {
  const waiting = [...checks];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      onResult(await runCheck(run, check));
    }
  };
  await Promise.all(Array.from({ length: run.settings.concurrency }, work));
}
