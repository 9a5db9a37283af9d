/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createConformance } from '@berth/conformance';
import { runDreddAlone } from '../src/dredd-alone/run-dredd-alone.ts';
import { judgeMutant } from '../src/judge-mutant.ts';
import { mutants } from '../src/mutants/index.ts';
import { type Mutated, startMutated } from '../src/start-mutated.ts';
import { startReference } from '../src/start-reference.ts';
import { type MutantRow, toMutantsPage } from '../src/to-mutants-page.ts';

/** Runs of the sound server under load, in a row. */
const ROUNDS = Number(process.env.BERTH_ROUNDS ?? 50);
const PAGE = fileURLToPath(new URL('../../../docs/reference/mutants.md', import.meta.url));

/*
 * The long proof: every mutant against every rule, Dredd alone against every mutant, and the sound
 * server many times in a row while both processors are busy. Writes docs/reference/mutants.md.
 */
let bad = 0;
const mutated = await startMutated();
try {
  const rows = await judgeAll(mutated);
  await writeFile(PAGE, toMutantsPage(rows));
} finally {
  await mutated.close();
}
await repeatSound();
process.exitCode = bad > 0 ? 1 : 0;

async function judgeAll(mutated: Mutated): Promise<MutantRow[]> {
  const usual = new Set(await runDreddAlone(mutated.options));
  const rows: MutantRow[] = [];
  for (const mutant of mutants) {
    const { caught, strangers, report } = await judgeMutant(mutated, mutant);
    mutated.use(mutant);
    const failed = await runDreddAlone(mutated.options);
    mutated.use(undefined);
    const dredd = failed.some((name) => !usual.has(name));
    const engine = report.results.some((r) => r.engine === 'dredd' && r.outcome === 'fail');
    const { rule, breaks, companions } = mutant;
    rows.push({ rule, breaks, companions, caught, dredd, engine });
    const isGood = caught && strangers.length === 0;
    if (!isGood) bad += 1;
    const also = strangers.length > 0 ? ` also ${strangers.join(' ')}` : '';
    const position = `${rows.length}/${mutants.length}`;
    console.log(`${position} ${isGood ? 'ok ' : 'BAD'} ${rule}: ${breaks}${also}`);
  }
  return rows;
}

async function repeatSound(): Promise<void> {
  const spin = 'for (;;) Math.sqrt(Math.random());';
  const load = [1, 2].map(() => new Worker(spin, { eval: true }));
  const reference = await startReference();
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const report = await createConformance(reference.options).run();
      const failed = report.results.filter(({ outcome }) => outcome !== 'pass');
      if (failed.length > 0) bad += 1;
      console.log(
        `round ${round}: ${report.summary.pass} pass in ${report.durationMs} ms, seed ${report.seed}`,
      );
      for (const { id, outcome, reason, findings } of failed) {
        console.log(`  ${outcome} ${id}: ${reason ?? findings[0]?.message}`);
      }
    }
  } finally {
    await reference.close();
    for (const worker of load) await worker.terminate();
  }
}
