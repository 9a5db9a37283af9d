import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checks } from '../checks/index.ts';
import type { Check } from '../context/check-context.ts';
import { createRun } from '../context/run.ts';
import { toSettings } from '../options.ts';
import type { Result } from '../result.ts';
import { runChecks } from './run-checks.ts';

const url = 'http://127.0.0.1:1';

/** How many checks are made at the same time on a target whose fastest call has taken this long. */
async function mostAtOnce(latency: number, concurrency?: number): Promise<number> {
  const settings = toSettings({ gatewayUrl: url, storageUrl: url, concurrency });
  const run = createRun(settings, new AbortController().signal);
  for (const took of [latency + 400, latency, latency + 900]) run.health.responded(url, took);
  let now = 0;
  let most = 0;
  const count = async () => {
    now += 1;
    most = Math.max(most, now);
    await setImmediate();
    now -= 1;
  };
  const counted = checks.map(({ rule }): Check => ({ rule, needs: [], run: count }));
  await runChecks(run, counted, () => {});
  return most;
}

test.each([
  [3, undefined, 8],
  [200, undefined, 32],
  [3, 20, 20],
  [200, 1, 1],
])('with a latency of %i ms and --concurrency %s, %i checks run in parallel', async (...row) => {
  const [latency, concurrency, most] = row;
  expect(await mostAtOnce(latency, concurrency)).toBe(most);
});

test('an interrupted check that continues without responses is skipped', async () => {
  const interrupted = new AbortController();
  const run = createRun(toSettings({ gatewayUrl: url, storageUrl: url }), interrupted.signal);
  const results: Result[] = [];
  const check: Check = {
    rule: 'GW-C1',
    needs: [],
    run: async () => interrupted.abort('the run was interrupted'),
  };
  await runChecks(run, [check], (result) => results.push(result));
  expect(results).toMatchObject([{ outcome: 'skip', reason: 'the run was interrupted' }]);
});
