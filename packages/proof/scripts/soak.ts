/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createConformance } from '@berth/conformance';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { mutants } from '../src/mutants/index.ts';
import { startReference } from '../src/start-reference.ts';
import { type MutantRow, toMutantsPage } from '../src/to-mutants-page.ts';

const PROCESSES = 2;
/** Runs of the sound server under load, in a row. */
const ROUNDS = Number(process.env.BERTH_ROUNDS ?? 50);
const PAGE = fileURLToPath(new URL('../../../docs/reference/mutants.md', import.meta.url));

/*
 * The long proof: every mutant against every rule, Dredd alone against every mutant, and the sound
 * server many times in a row while both processors are busy. Writes docs/reference/mutants.md.
 */
let bad = 0;
const count = mutants.length + fromOutside.length;
const rows: MutantRow[] = [];
await Promise.all(Array.from({ length: PROCESSES }, (_, index) => judgeShard(index)));
bad += count - rows.length;
await writeFile(PAGE, toMutantsPage(rows.toSorted((a, b) => a.index - b.index)));
await repeatSound();
console.log(bad === 0 ? 'all as it should be' : `${bad} not as it should be`);
process.exitCode = bad > 0 ? 1 : 0;

async function judgeShard(index: number): Promise<void> {
  const script = new URL('../src/soak/judge-shard.ts', import.meta.url);
  const child = fork(script, [String(index), String(PROCESSES)]);
  child.on('message', (row: MutantRow) => {
    rows.push(row);
    const { rule, breaks, caught, strangers } = row;
    const isGood = caught && strangers.length === 0;
    if (!isGood) bad += 1;
    const also = strangers.length > 0 ? `; also ${strangers.join(' ')}` : '';
    const position = `${rows.length}/${count}`;
    console.log(`${position} ${isGood ? 'ok ' : 'BAD'} ${rule}: ${breaks}${also}`);
  });
  await once(child, 'exit');
}

async function repeatSound(): Promise<void> {
  const spin = 'for (;;) Math.sqrt(Math.random());';
  const load = [1, 2].map(() => new Worker(spin, { eval: true }));
  const reference = await startReference();
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { results, summary, durationMs, seed } = await createConformance(
        reference.options,
      ).run();
      const failed = results.filter(({ outcome }) => outcome !== 'pass');
      if (failed.length > 0) bad += 1;
      console.log(`round ${round}: ${summary.pass} pass in ${durationMs} ms, seed ${seed}`);
      for (const { id, outcome, reason, findings } of failed) {
        console.log(`  ${outcome} ${id}: ${reason ?? findings[0]?.message}`);
      }
    }
  } finally {
    await reference.close();
    for (const worker of load) await worker.terminate();
  }
}
