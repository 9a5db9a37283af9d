import { createConformance } from '@berth/conformance';
import rules from '@berth/spec/rules.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { checkMutant } from '../src/check-mutant.ts';
import { refuseChunks } from '../src/mutants/gateway-requests.ts';
import { firstMutants, mutants } from '../src/mutants/index.ts';
import { sequences } from '../src/mutants/sequences.ts';
import { takeTurn } from './support/take-turn.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

test('every rule has a mutant', () => {
  const checkable = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
  const broken = new Set<string>([...mutants, ...sequences].map(({ rule }) => rule));
  expect(checkable.filter((id) => !broken.has(id))).toEqual([]);
});

const mutated = useMutated();

testOwnRules('each rule catches its first mutant', mutated, firstMutants);
testOwnRules(
  'each rule catches its other mutants (a twentieth per commit)',
  mutated,
  takeTurn(
    mutants.filter((one) => !firstMutants.includes(one)),
    20,
  ),
);

/** `GW-SSE-` for `GW-SSE-UNBUFFERED`: the rules that a fault is most likely to break as well. */
const toTopic = (rule: string) => /^\w+-\w+/.exec(rule)?.[0] as string;

// `npm run soak -- mutants` runs them with all rules.
test.each(takeTurn(firstMutants, 40))(
  'a mutant fails its own rule and no other of its topic (a fortieth per commit): $rule: $breaks',
  async (mutant) => {
    const { caught, unrelated } = await checkMutant(mutated(), mutant, [toTopic(mutant.rule)]);
    expect({ caught, unrelated }).toEqual({ caught: true, unrelated: [] });
  },
);

test('a gateway may require the length of a body, and the report notes it', async () => {
  mutated().use({ create: () => refuseChunks(411) });
  const only = ['GW-FORWARD-BODY'];
  const { results } = await createConformance({ ...mutated().options, only }).run();
  expect(results.find(({ id }) => id === 'GW-FORWARD-BODY')).toMatchObject({
    outcome: 'pass',
    notes: [expect.stringContaining('411')],
  });
});

test('events that arrive together once on a busy machine do not fail the gateway', async () => {
  let late = 2;
  const hooks = {
    get buffersEvents() {
      late -= 1;
      return late >= 0;
    },
  };
  mutated().use({ create: () => hooks });
  const only = ['GW-SSE-UNBUFFERED'];
  const { results } = await createConformance({ ...mutated().options, only }).run();
  expect(late).toBeLessThan(0);
  expect(results.find(({ id }) => id === 'GW-SSE-UNBUFFERED')?.outcome).toBe('pass');
});
