import { describe, expect, test } from 'vitest';
import { judgeVariants } from '../src/judge-variants.ts';
import { startMutated } from '../src/start-mutated.ts';
import { variants } from '../src/variants/index.ts';
import { toRuns } from '../src/variants/variant.ts';

test('there are at least 60, each with a name of its own', () => {
  expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
  expect(variants.length).toBeGreaterThanOrEqual(60);
});

// As many at once as go together; `npm run soak -- variants` runs each alone. Dredd and Respect make the
// documented calls only: they judge the first run.
describe.concurrent('a deployment that does it in another way passes', () => {
  const runs = toRuns(variants).map((rows, index) => ({
    ...{ rows, names: rows.map(({ name }) => name) },
    // Three runs at the same time on a busy machine take their time.
    more: { timeout: 60_000, ...(index === 0 ? {} : { skip: ['dredd', 'respect'] }) },
  }));
  test.each(runs)('run $#: $names.length ways at once', async ({ rows, names, more }) => {
    const mutated = await startMutated();
    try {
      const { report, condemned } = await judgeVariants(mutated, rows, more);
      const { exitCode } = report;
      expect({ condemned, exitCode, names }).toEqual({ condemned: [], exitCode: 0, names });
    } finally {
      await mutated.close();
    }
  });
});
