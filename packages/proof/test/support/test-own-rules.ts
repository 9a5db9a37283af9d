import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeMutant } from '../../src/judge-mutant.ts';
import type { Mutant } from '../../src/mutants/mutant.ts';
import { type Mutated, startMutated } from '../../src/start-mutated.ts';

/** Tests that each mutant is caught by the rule that it breaks. */
export function testOwnRules(mutants: readonly Mutant[]): void {
  let mutated: Mutated;
  beforeAll(async () => {
    mutated = await startMutated();
  });
  afterAll(() => mutated.close());

  test.each(mutants)('$rule: $breaks', async (mutant) => {
    const { caught, report } = await judgeMutant(mutated, mutant, [mutant.rule]);
    const [result] = report.results.filter(({ id }) => id === mutant.rule);
    expect({ caught, outcome: result?.outcome, reason: result?.reason }).toMatchObject({
      caught: true,
      outcome: 'fail',
    });
  });
}
