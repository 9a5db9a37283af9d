import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeMutant } from '../src/judge-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { type Mutated, startMutated } from '../src/start-mutated.ts';
import { takeTurn } from './support/take-turn.ts';

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

// `npm run soak -- mutants` runs all of them: each is a run of the whole suite.
describe('a mutant fails its own rule and no other: a hundredth, by turns', () => {
  test.each(takeTurn(mutants, 100))('$rule: $breaks', async (mutant) => {
    const { caught, strangers } = await judgeMutant(mutated, mutant);
    expect({ caught, strangers }).toEqual({ caught: true, strangers: [] });
  });
});
