import { expect } from 'vitest';
import { type Deployment, runHistories } from './run-histories.ts';

const { BERTH_HISTORY_SEED, BERTH_HISTORIES, BERTH_SOAK } = process.env;

/** `BERTH_HISTORY_SEED` sets the seed of the first round. */
export const SEED = Number(BERTH_HISTORY_SEED ?? Date.now() % 1_000_000);
/** `BERTH_HISTORIES` sets the number of histories. Otherwise, `npm run soak` makes as many as it can in this time. */
const HISTORIES = Number(BERTH_HISTORIES ?? (BERTH_SOAK ? Number.POSITIVE_INFINITY : 80));
const SECONDS = BERTH_HISTORIES === undefined && BERTH_SOAK ? 150 : Number.POSITIVE_INFINITY;
/** How long a test may take: for a given number of histories, as long as it needs. */
export const LIMIT = BERTH_HISTORIES === undefined ? {} : { timeout: 0 };

export async function expectLinearizable(deployment: Deployment): Promise<void> {
  const result = await runHistories(deployment, {
    seed: SEED,
    histories: HISTORIES,
    seconds: SECONDS,
  });
  const { violations, ...counts } = result;
  print(counts);
  expect(violations.join('\n\n')).toBe('');
  expect(counts.unknown).toBeLessThan(counts.calls / 4);
  expect(counts.undecided).toBeLessThan(Math.max(2, counts.histories / 50));
}

function print(counts: object): void {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
}
