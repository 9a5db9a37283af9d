import { expect, test } from 'vitest';
import { checkVariants } from '../src/check-variants.ts';
import { startConformingMock } from '../src/start-conforming-mock.ts';
import { startMutated } from '../src/start-mutated.ts';
import { variants } from '../src/variants/index.ts';
import { toRuns } from '../src/variants/variant.ts';
import { startSecond } from './support/start-second.ts';
import { takeTurn } from './support/take-turn.ts';

const OTHERS = { mock: startConformingMock, 'second server': startSecond };

const RUNS = Object.entries(OTHERS).flatMap(([name, start]) =>
  toRuns(variants).map((rows) => ({ name, start, rows, count: rows.length })),
);

/** In each run: some variants change nothing, because the server does the same anyway. */
const LEAST_CHANGES = 20;

// Without Dredd and Respect, which check both in other tests.
test.each(takeTurn(RUNS, RUNS.length))(
  'the $name with $count variants passes (one run per commit; all in `npm run soak -- others`)',
  async ({ start, rows }) => {
    const mutated = await startMutated(start);
    try {
      const more = { skip: ['dredd', 'respect'] };
      const { report, failures, effective } = await checkVariants(mutated, rows, more);
      expect({ failures, exitCode: report.exitCode }).toEqual({ failures: [], exitCode: 0 });
      expect(effective.size).toBeGreaterThanOrEqual(LEAST_CHANGES);
    } finally {
      await mutated.close();
    }
  },
);
