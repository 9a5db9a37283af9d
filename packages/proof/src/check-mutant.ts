import { createConformance, type Report } from '@berth/conformance';
import type { Mutant } from './mutants/mutant.ts';
import type { Mutated } from './start-mutated.ts';

/** The suite's verdict on a mutant. */
export interface MutantVerdict {
  mutant: Mutant;
  /** Whether the rule that it breaks failed. */
  caught: boolean;
  /** Other rules that failed and are not companions. */
  unrelated: string[];
  report: Report;
}

/** The rules about sequences, which find the faults of other rules too. */
const OF_SEQUENCES: readonly string[] = ['ST-SEQUENCE'];
/** A run ends with the first that shows the fault. */
const MOST_SEQUENCES = 200;

/**
 * Runs the checks for individual rules against a mutant. Dredd and the workflows are left out, because their
 * findings are not assigned to rules, and so are generated sequences, unless the mutant is about them.
 *
 * @param only IDs of the rules to check. Default: all
 */
export async function checkMutant(
  mutated: Mutated,
  mutant: Mutant,
  only: readonly string[] = [],
): Promise<MutantVerdict> {
  mutated.use(mutant);
  const isOfSequences = OF_SEQUENCES.includes(mutant.rule);
  const report = await createConformance({
    ...mutated.options,
    only,
    skip: ['dredd', 'respect', ...(isOfSequences ? [] : OF_SEQUENCES)],
    // The usual number finds the rarest of these mutants in most runs, but not in all.
    ...(isOfSequences ? { sequences: MOST_SEQUENCES } : {}),
    // Some mutants swallow what a check waits for.
    timeout: 10_000,
  }).run();
  mutated.use(undefined);
  const failed = report.results
    .filter(({ engine, outcome }) => engine === 'rules' && outcome === 'fail')
    .map(({ id }) => id);
  const known: readonly string[] = [mutant.rule, ...mutant.companions];
  return {
    mutant,
    caught: failed.includes(mutant.rule),
    unrelated: failed.filter((id) => !known.includes(id)),
    report,
  };
}
