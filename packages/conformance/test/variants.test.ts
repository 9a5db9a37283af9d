import { describe, expect, test } from 'vitest';
import { startMock } from './targets/start-mock.ts';
import { startMutated } from './targets/start-mutated.ts';
import { checkVariants } from './variants/check-variants.ts';
import { variants } from './variants/index.ts';
import { toRuns } from './variants/variant.ts';

test('there are 40 variants, each with a unique name', () => {
  expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
  expect(variants.length).toBeGreaterThanOrEqual(40);
});

/** Dredd and Respect make only the documented calls, so they are part of one of the runs. */
const SERVERS = [
  { name: 'reference server', start: undefined, skip: [] },
  { name: 'mock', start: () => startMock(), skip: ['dredd', 'respect'] },
];

/** Each run of compatible variants, on one of the servers. */
const RUNS = toRuns(variants).map((rows, index) => {
  const server = SERVERS[index % SERVERS.length] as (typeof SERVERS)[number];
  return { rows, count: rows.length, ...server };
});

describe('a correct deployment that differs from ours passes', () => {
  test.each(RUNS)('the $name with $count variants', async ({ rows, start, skip }) => {
    const mutated = await startMutated(start);
    try {
      const { report, failures, idle } = await checkVariants(mutated, rows, skip);
      expect({ failures, exitCode: report.exitCode }).toEqual({ failures: [], exitCode: 0 });
      expect(idle, 'variants that changed nothing').toEqual([]);
    } finally {
      await mutated.close();
    }
  });
});
