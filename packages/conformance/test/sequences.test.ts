import { afterAll, beforeAll, expect, test } from 'vitest';
import { createConformance } from '../src/index.ts';
import { type Mutated, startMutated } from './targets/start-mutated.ts';

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

test('the same seed makes the same sequences, and the run leaves nothing behind', async () => {
  const run = () =>
    createConformance({ ...mutated.options, only: ['ST-SEQUENCE'], sequences: 5, seed: 7 }).run();
  const [first, second] = [await run(), await run()];
  expect(first.leftovers).toEqual([]);
  const { requests } = first.results.find(({ id }) => id === 'ST-SEQUENCE') ?? {};
  expect(requests).toBeGreaterThan(20);
  expect(second.results.find(({ id }) => id === 'ST-SEQUENCE')).toMatchObject({ requests });
});
