import { describe, expect, test } from 'vitest';
import { startMock } from './targets/start-mock.ts';
import { startMutated } from './targets/start-mutated.ts';
import { startSecond } from './targets/start-second.ts';
import { checkVariants } from './variants/check-variants.ts';
import { variants } from './variants/index.ts';
import { toRuns } from './variants/variant.ts';

test('there are 40 variants, each with a unique name', () => {
  expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
  expect(variants.length).toBeGreaterThanOrEqual(40);
});

const SERVERS = [
  ['reference server', undefined],
  ['mock', startMock],
  ['second server', startSecond],
] as const;

/** In each run: some variants change nothing, because the server does the same anyway. */
const LEAST_CHANGES = 20;

/** Each run of compatible variants, on one of the servers. */
const RUNS = toRuns(variants).map((rows, index) => {
  const [name, start] = SERVERS[index % SERVERS.length] as (typeof SERVERS)[number];
  return { rows, count: rows.length, name, start };
});

// Dredd and Respect make only the documented calls, so they are part of the runs on the reference server only.
describe.concurrent('a correct deployment that differs from ours passes', () => {
  test.each(RUNS)('the $name with $count variants', async ({ rows, name, start }) => {
    const mutated = await startMutated(start);
    const skip = name === 'reference server' ? [] : ['dredd', 'respect'];
    try {
      // Three runs at the same time are slow on a busy machine.
      const more = { timeout: 60_000, skip };
      const { report, failures, effective } = await checkVariants(mutated, rows, more);
      expect({ failures, exitCode: report.exitCode }).toEqual({ failures: [], exitCode: 0 });
      expect(effective.size).toBeGreaterThanOrEqual(LEAST_CHANGES);
    } finally {
      await mutated.close();
    }
  });
});
