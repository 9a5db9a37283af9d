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

describe('a mutant fails its own rule and no other: a tenth, by turns', () => {
  test.each(takeTurn(mutants, 10))('$rule: $breaks', async (mutant) => {
    const { caught, strangers } = await judgeMutant(mutated, mutant);
    expect({ caught, strangers }).toEqual({ caught: true, strangers: [] });
  });
});
