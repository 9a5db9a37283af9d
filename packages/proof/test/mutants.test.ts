import { createConformance } from '@berth/conformance';
import rules from '@berth/spec/rules.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { chunkedBodies, refuseChunks } from '../src/mutants/gateway-requests.ts';
import { mutants } from '../src/mutants/index.ts';
import { mutant } from '../src/mutants/mutant.ts';
import { sequences } from '../src/mutants/sequences.ts';
import { testOwnRules, useMutated } from './support/test-own-rules.ts';

test('every rule has a mutant', () => {
  const checkable = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
  const broken = new Set<string>([...mutants, ...sequences].map(({ rule }) => rule));
  expect(checkable.filter((id) => !broken.has(id))).toEqual([]);
});

const mutated = useMutated();

testOwnRules('each mutant is caught by the rule that it breaks', mutated, mutants);
testOwnRules('mutants that mishandle chunked bodies are caught', mutated, chunkedBodies);

test('a gateway may require the length of a body, and the report notes it', async () => {
  mutated().use(refuseChunks(411));
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
  mutated().use(
    mutant('GW-SSE-UNBUFFERED', 'the first event stream of each method comes late', hooks),
  );
  const only = ['GW-SSE-UNBUFFERED'];
  const { results } = await createConformance({ ...mutated().options, only }).run();
  expect(late).toBeLessThan(0);
  expect(results.find(({ id }) => id === 'GW-SSE-UNBUFFERED')?.outcome).toBe('pass');
});
