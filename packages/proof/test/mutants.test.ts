import { createConformance } from '@berth/conformance';
import rules from '@berth/spec/rules.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { chunkedBodies, refuseChunks } from '../src/mutants/gateway-requests.ts';
import { mutants } from '../src/mutants/index.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

test('every rule has a mutant', () => {
  const checkable = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
  const broken = new Set<string>(mutants.map(({ rule }) => rule));
  expect(checkable.filter((id) => !broken.has(id))).toEqual([]);
});

const mutated = useMutated();

testOwnRules('a mutant is caught by the rule that it breaks', mutated, mutants);
testOwnRules('what a gateway makes of chunked bodies is caught', mutated, chunkedBodies);

test('a gateway may ask for the length of a body, and its operator is told', async () => {
  mutated().use(refuseChunks(411));
  const only = ['GW-FORWARD-BODY'];
  const { results } = await createConformance({ ...mutated().options, only }).run();
  expect(results.find(({ id }) => id === 'GW-FORWARD-BODY')).toMatchObject({
    outcome: 'pass',
    notes: [expect.stringContaining('411')],
  });
});
