import type { Finding } from '@berth/conformance';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judgeMutant } from '../../src/judge-mutant.ts';
import type { Mutant } from '../../src/mutants/mutant.ts';
import { type Mutated, startMutated } from '../../src/start-mutated.ts';

/** Whether a finding has what was sent and what came, and its message says what came instead. */
function isClear({ message, request, answer }: Finding): boolean {
  const isSaid = !/\bnot (undefined\b|\(|$)|\[object /.test(message);
  return isSaid && request !== undefined && answer !== undefined;
}

/** Tests that each mutant is caught by the rule that it breaks, with evidence that says how. */
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
    const unclear = result?.findings.filter((finding) => !isClear(finding));
    expect(unclear).toEqual([]);
  });
}
