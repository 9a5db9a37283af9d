import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { judgeMutant } from '../src/judge-mutant.ts';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { mutants } from '../src/mutants/index.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

/** The share of a list whose turn it is; each commit takes one of them. */
function takeTurn<Item>(all: readonly Item[], shares: number): Item[] {
  const head = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' });
  const turn = Number.parseInt(head, 16) % shares;
  return all.filter((_, index) => index % shares === turn);
}

const mutated = useMutated();

testOwnRules(
  'a fault from outside is caught by the rule that it breaks: a tenth, by turns',
  mutated,
  takeTurn(fromOutside, 10),
);

// `npm run soak -- mutants` runs all of them: each is a run of all rules.
test.each(takeTurn(mutants, mutants.length))(
  'a mutant fails its own rule and no other: one, by turns: $rule: $breaks',
  async (mutant) => {
    const { caught, strangers } = await judgeMutant(mutated(), mutant);
    expect({ caught, strangers }).toEqual({ caught: true, strangers: [] });
  },
);
