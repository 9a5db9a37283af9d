import { createConformance, type Report } from '@berth/conformance';
import type { Mutant } from './mutants/mutant.ts';
import type { Mutated } from './start-mutated.ts';

/** What the suite says of a mutant. */
export interface MutantVerdict {
  mutant: Mutant;
  /** The rule that it breaks has failed. */
  caught: boolean;
  /** Rules that have failed and are neither its own nor companions. */
  strangers: string[];
  report: Report;
}

/**
 * Runs the checks of rules against a mutant; Dredd and the workflows name no rule that is broken.
 *
 * @param only ids of the rules to check. Default: all
 */
export async function judgeMutant(
  mutated: Mutated,
  mutant: Mutant,
  only: readonly string[] = [],
): Promise<MutantVerdict> {
  mutated.use(mutant);
  const report = await createConformance({
    ...mutated.options,
    only,
    skip: ['dredd', 'respect'],
  }).run();
  mutated.use(undefined);
  const failed = report.results
    .filter(({ engine, outcome }) => engine === 'rules' && outcome === 'fail')
    .map(({ id }) => id);
  const known: readonly string[] = [mutant.rule, ...mutant.companions];
  return {
    mutant,
    caught: failed.includes(mutant.rule),
    strangers: failed.filter((id) => !known.includes(id)),
    report,
  };
}
