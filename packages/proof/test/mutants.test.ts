import rules from '@berth/spec/rules.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeMutant } from '../src/judge-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { type Mutated, startMutated } from '../src/start-mutated.ts';

let mutated: Mutated;
beforeAll(async () => {
  mutated = await startMutated();
});
afterAll(() => mutated.close());

test('every rule has a mutant', () => {
  const checkable = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
  const mutated = new Set(mutants.map(({ rule }) => rule));
  expect(checkable.filter((id) => !mutated.has(id))).toEqual([]);
});

describe('a mutant is caught by the rule that it breaks', () => {
  test.each(mutants)('$rule: $breaks', async (mutant) => {
    const { caught, report } = await judgeMutant(mutated, mutant, [mutant.rule]);
    const [result] = report.results.filter(({ id }) => id === mutant.rule);
    expect({ caught, outcome: result?.outcome }).toEqual({
      caught: true,
      outcome: 'fail',
    });
  });
});
