import { createConformance } from '@berth/conformance';
import { runDreddAlone } from '../dredd-alone/run-dredd-alone.ts';
import { judgeMutant } from '../judge-mutant.ts';
import { fromOutside } from '../mutants/from-outside/index.ts';
import { mutants } from '../mutants/index.ts';
import { startMutated } from '../start-mutated.ts';
import type { MutantRow } from '../to-mutants-page.ts';

/*
 * Judges every n-th mutant in a process of its own, with a server of its own, and tells each row as soon
 * as it is known: by all rules, by the suite's engine Dredd, and by Dredd alone.
 */
const [first = 0, step = 1] = process.argv.slice(2).map(Number);
const all = [...mutants, ...fromOutside];
const mutated = await startMutated();
try {
  const usual = new Set(await runDreddAlone(mutated.options));
  for (let index = first; index < all.length; index += step) {
    const mutant = all[index];
    if (mutant === undefined) break;
    const { caught, strangers } = await judgeMutant(mutated, mutant);
    mutated.use(mutant);
    const options = { ...mutated.options, only: ['dredd'] };
    const engine = await createConformance(options)
      .run()
      .then(({ results }) => results.some(({ outcome }) => outcome === 'fail'));
    const failed = await runDreddAlone(mutated.options);
    mutated.use(undefined);
    const { rule, breaks, companions } = mutant;
    const dredd = failed.some((name) => !usual.has(name));
    const row: MutantRow = { index, rule, breaks, companions, caught, strangers, engine, dredd };
    process.send?.(row);
  }
} finally {
  await mutated.close();
}
process.disconnect?.();
