import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkMutant } from '../src/check-mutant.ts';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { mutants } from '../src/mutants/index.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

/** One of `shares` parts of a list, chosen by the commit. */
function takeTurn<Item>(all: readonly Item[], shares: number): Item[] {
  const head = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  const turn = Number.parseInt(head, 16) % shares;
  return all.filter((_, index) => index % shares === turn);
}

const mutated = useMutated();

testOwnRules(
  'the rule that it breaks catches a fault from outside (a tenth per commit)',
  mutated,
  takeTurn(fromOutside, 10),
);

// Each is a run of all rules; `npm run soak -- mutants` runs all mutants.
test.each(takeTurn(mutants, mutants.length))(
  'a mutant fails its own rule and no other (one per commit): $rule: $breaks',
  async (mutant) => {
    const { caught, unrelated } = await checkMutant(mutated(), mutant);
    expect({ caught, unrelated }).toEqual({ caught: true, unrelated: [] });
  },
);
