import { expect, test } from 'vitest';
import { checkMutant } from '../src/check-mutant.ts';
import { byClass } from '../src/mutants/by-class/index.ts';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { mutants } from '../src/mutants/index.ts';
import { takeTurn } from './support/take-turn.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

const mutated = useMutated();

testOwnRules(
  'the rule that it breaks catches a fault from outside (a twentieth per commit)',
  mutated,
  takeTurn(fromOutside, 20),
);

testOwnRules(
  'the rule that it breaks catches a fault of a class (a thirtieth per commit)',
  mutated,
  takeTurn(Object.values(byClass).flat(), 30),
);

/** `GW-SSE-` for `GW-SSE-UNBUFFERED`: the rules that a fault is most likely to break as well. */
const toTopic = (rule: string) => /^\w+-\w+/.exec(rule)?.[0] as string;

// `npm run soak -- mutants` runs all mutants with all rules.
test.each(takeTurn(mutants, 40))(
  'a mutant fails its own rule and no other of its topic (a fortieth per commit): $rule: $breaks',
  async (mutant) => {
    const { caught, unrelated } = await checkMutant(mutated(), mutant, [toTopic(mutant.rule)]);
    expect({ caught, unrelated }).toEqual({ caught: true, unrelated: [] });
  },
);
