import { expect, test } from 'vitest';
import { checkMutant } from '../src/check-mutant.ts';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { mutants } from '../src/mutants/index.ts';
import { takeTurn } from './support/take-turn.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

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
