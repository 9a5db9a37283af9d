import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeMutant } from '../src/judge-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { type Mutated, startMutated } from '../src/start-mutated.ts';

/** Of so many mutants one is run against all rules; which ones changes with the commit. */
const SHARE = 10;
const head = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
const turn = Number.parseInt(head, 16) % SHARE;

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

describe(`a mutant fails its own rule and no other: every ${SHARE}th, from ${turn} on`, () => {
  const some = mutants.filter((_, index) => index % SHARE === turn);
  test.each(some)('$rule: $breaks', async (mutant) => {
    const { caught, strangers } = await judgeMutant(mutated, mutant);
    expect({ caught, strangers }).toEqual({ caught: true, strangers: [] });
  });
});
