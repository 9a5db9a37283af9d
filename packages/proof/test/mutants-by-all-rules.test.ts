import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeMutant } from '../src/judge-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { type Mutated, startMutated } from '../src/start-mutated.ts';

/** Of so many mutants one is run against all rules; which ones changes with the day. */
const SHARE = 10;
const today = Math.floor(Date.now() / 86_400_000) % SHARE;

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

describe(`a mutant fails its own rule and no other: every ${SHARE}th, from ${today} on`, () => {
  const some = mutants.filter((_, index) => index % SHARE === today);
  test.each(some)('$rule: $breaks', async (mutant) => {
    const { caught, strangers } = await judgeMutant(mutated, mutant);
    expect({ caught, strangers }).toEqual({ caught: true, strangers: [] });
  });
});
