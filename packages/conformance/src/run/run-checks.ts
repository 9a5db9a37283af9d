import type { Check } from '../checks/check.ts';
import { findCost } from '../plan/find-cost.ts';
import type { Result } from '../result.ts';
import type { Run } from './run.ts';
import { runCheck } from './run-check.ts';

/**
 * Checks at the same time if `concurrency` is not given. More of them make up for the latency of a
 * target far away; one nearby would only queue their calls, up to the timeout.
 */
const USUAL = { near: 8, far: 32 };
/** Latency of a target that is far away, in milliseconds. */
const FAR = 100;

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
  const usual = run.health.latency() < FAR ? USUAL.near : USUAL.far;
  const length = run.settings.concurrency ?? usual;
  await Promise.all(Array.from({ length }, work));
}
