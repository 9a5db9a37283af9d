import fc from 'fast-check';
import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import { Contradiction, Sequence, sequences } from './sequence-steps.ts';
import { needsFiles } from './stored-files.ts';

/** Maximum number of sequences that are made to find a shorter one with the same fault. */
const MAX_SHRINKS = 100;

export const storageSequences: readonly Check[] = [
  defineCheck('ST-SEQUENCE', needsFiles, runSequences, { waits: true }),
];

/** Makes generated sequences of storage calls. The first that contradicts the contract is shortened and reported. */
async function runSequences(t: CheckContext): Promise<void> {
  const { seed, sequences: numRuns } = t.settings;
  let shortest: Contradiction | undefined;
  let shrinks = 0;
  let fault: unknown;
  const property = fc.asyncProperty(sequences, async (steps) => {
    if (fault !== undefined || shrinks === MAX_SHRINKS) return;
    if (shortest !== undefined) shrinks += 1;
    const sequence = new Sequence(t);
    try {
      await fc.asyncModelRun(() => ({ model: sequence.files, real: sequence }), steps);
      if (sequence.steps.length > 0) await sequence.end();
    } catch (error) {
      if (error instanceof Contradiction) {
        shortest = error;
        throw error;
      }
      // It says nothing about the contract, so a shorter sequence is of no use.
      fault = error;
    }
  });
  await fc.check(property, { seed, numRuns });
  if (shortest === undefined && fault !== undefined) throw fault;
  t.expect(shortest === undefined, shortest ? describe(shortest, seed) : '', shortest?.evidence);
}

function describe({ message, steps }: Contradiction, seed: number): string {
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join('; ');
  return `${message} after ${steps.length} steps (--seed ${seed}): ${list}`;
}
