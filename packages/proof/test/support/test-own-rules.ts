import type { Finding } from '@berth/conformance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkMutant } from '../../src/check-mutant.ts';
import type { Mutant } from '../../src/mutants/mutant.ts';
import { type Mutated, startMutated } from '../../src/start-mutated.ts';

/** The reference server behind a proxy, for all tests of a file. */
export function useMutated(): () => Mutated {
  let mutated: Mutated;
  beforeAll(async () => {
    mutated = await startMutated();
  });
  afterAll(() => mutated.close());
  return () => mutated;
}

/** Whether a finding has the request and the response, and its message names the actual value. */
function isClear({ message, request, response }: Finding): boolean {
  const isSaid = !/\bnot (undefined\b|\(|$)|\[object /.test(message);
  return isSaid && request !== undefined && response !== undefined;
}

/** Tests that the rule that each mutant breaks catches it, with clear evidence. */
export function testOwnRules(
  title: string,
  mutated: () => Mutated,
  mutants: readonly Mutant[],
): void {
  describe(title, () => {
    test.each(mutants)('$rule: $breaks', async (mutant) => {
      const { caught, report } = await checkMutant(mutated(), mutant, [mutant.rule]);
      const result = report.results.find(({ id }) => id === mutant.rule);
      expect({ caught, outcome: result?.outcome, reason: result?.reason }).toMatchObject({
        caught: true,
        outcome: 'fail',
      });
      expect(result?.findings.filter((finding) => !isClear(finding))).toEqual([]);
    });
  });
}
