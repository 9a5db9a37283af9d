import type { Check } from '../checks/check.ts';
import { findCost } from '../plan/find-cost.ts';
import type { Result } from '../result.ts';
import type { Run } from './run.ts';
import { runCheck } from './run-check.ts';

/**
 * Runs checks, several at a time, each result as soon as it is known. Those with the most calls begin
 * first: on a slow target a long one that begins last would be waited for alone.
 */
export async function runChecks(
  run: Run,
  checks: readonly Check[],
  onResult: (result: Result) => void,
): Promise<void> {
  const cost = ({ rule }: Check) => findCost(rule)?.requests ?? 0;
  const waiting = checks.toSorted((a, b) => cost(b) - cost(a));
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      onResult(await runCheck(run, check));
    }
  };
  await Promise.all(Array.from({ length: run.settings.concurrency }, work));
}
