import { expect, test } from 'vitest';
import type { Check } from '../checks/check.ts';
import { checks } from '../checks/index.ts';
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
  const counted = checks.map(({ rule }): Check => {
    return {
      rule,
      needs: [],
      run: async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
      },
    };
  });
  await runChecks(run, counted, () => {});
  return most;
}

test('runs 8 checks in parallel against a fast target, and 32 against a slow one', async () => {
  expect(await mostAtOnce(3)).toBe(8);
  expect(await mostAtOnce(200)).toBe(32);
});

test('the concurrency option takes precedence', async () => {
  expect(await mostAtOnce(3, 20)).toBe(20);
  expect(await mostAtOnce(200, 1)).toBe(1);
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
