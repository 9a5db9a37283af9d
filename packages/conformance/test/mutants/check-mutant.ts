import { createConformance, type Report } from '../../src/index.ts';
import type { Mutated } from '../targets/start-mutated.ts';
import type { Mutant } from './mutant.ts';

/** The suite's verdict on a mutant. */
export interface MutantVerdict {
  /** Whether the rule that it breaks failed. */
  caught: boolean;
  report: Report;
}

/** A run of `ST-SEQUENCE` ends with the first sequence that shows the fault. */
const MAX_SEQUENCES = 200;

/** Checks the rule that a mutant breaks. */
export async function checkMutant(mutated: Mutated, mutant: Mutant): Promise<MutantVerdict> {
  mutated.use(mutant);
  const report = await createConformance({
    ...mutated.options,
    only: [mutant.rule],
    ...(mutant.rule === 'ST-SEQUENCE' ? { sequences: MAX_SEQUENCES } : {}),
    // Some mutants swallow what a check waits for.
    timeout: 10_000,
  }).run();
  mutated.use(undefined);
  return { caught: report.results.some(({ outcome }) => outcome === 'fail'), report };
}
