import { describe, expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { startMock } from './targets/start-mock.ts';
import { startMutated } from './targets/start-mutated.ts';
import { variants } from './variants/index.ts';
import { combine, toRuns } from './variants/variant.ts';

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
    const effective = new Set<string>();
    try {
      mutated.use({ create: (context) => combine(rows, context, effective) });
      const options = Object.assign({}, mutated.options, ...rows.map(({ options }) => options));
      const { results, exitCode } = await createConformance({ ...options, skip }).run();
      const failures = results
        .filter(({ outcome, level }) =>
          outcome === 'fail' ? level === 'must' : outcome === 'skip' || outcome === 'error',
        )
        .map(({ id, reason, findings }) => `${id}: ${reason ?? findings[0]?.message}`);
      expect({ failures, exitCode }).toEqual({ failures: [], exitCode: 0 });
      const idle = rows.map(({ name }) => name).filter((name) => !effective.has(name));
      expect(idle, 'variants that changed nothing').toEqual([]);
    } finally {
      await mutated.close();
    }
  });
});
