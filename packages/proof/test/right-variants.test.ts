import { describe, expect, test } from 'vitest';
import { checkVariants } from '../src/check-variants.ts';
import { startMutated } from '../src/start-mutated.ts';
import { variants } from '../src/variants/index.ts';
import { toRuns } from '../src/variants/variant.ts';

test('there are at least 60 variants, each with a unique name', () => {
  expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length);
  expect(variants.length).toBeGreaterThanOrEqual(60);
});

// Compatible variants run together; `npm run soak -- variants` runs each alone. Dredd and Respect make only the
// documented calls, so they are part of the first run only.
describe.concurrent('a correct deployment that differs from the reference server passes', () => {
  const runs = toRuns(variants).map((rows, index) => ({
    ...{ rows, names: rows.map(({ name }) => name) },
    more: index === 0 ? {} : { skip: ['dredd', 'respect'] },
  }));
  test.each(runs)('run $#: $names.length variants together', async ({ rows, names, more }) => {
    const mutated = await startMutated();
    try {
      const { report, failures } = await checkVariants(mutated, rows, more);
      const { exitCode } = report;
      expect({ failures, exitCode, names }).toEqual({ failures: [], exitCode: 0, names });
    } finally {
      await mutated.close();
    }
  });
});
