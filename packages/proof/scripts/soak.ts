/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createConformance } from '@berth/conformance';
import { checkMutant } from '../src/check-mutant.ts';
import { checkVariants } from '../src/check-variants.ts';
import { firstMutants, mutants } from '../src/mutants/index.ts';
import { sequences } from '../src/mutants/sequences.ts';
import { askSlowPeer, keepPeers } from '../src/soak/ask-peers.ts';
import type { ShardMessage } from '../src/soak/check-shard.ts';
import { mutateSources } from '../src/soak/mutate-sources.ts';
import { loadResults, saveResults, writePage } from '../src/soak/results.ts';
import { startConformingMock } from '../src/start-conforming-mock.ts';
import { startMutated } from '../src/start-mutated.ts';
import { startReference } from '../src/start-reference.ts';
import type { Alarms, MutantRow } from '../src/to-mutants-page.ts';
import { variants } from '../src/variants/index.ts';
import { toRuns } from '../src/variants/variant.ts';
import { startSecond } from '../test/support/start-second.ts';

const PROCESSES = 2;
/** Number of consecutive runs against the correct server under load. */
const ROUNDS = 50;

/** At least this share of the mutants is found in at most `MOST_STEPS` steps. */
const LEAST_FOUND = 0.95;
const MOST_STEPS = 6;
/** On the three correct servers together; and on each run of variants. */
const SOUND_SEQUENCES = 10_000;
const VARIED_SEQUENCES = 100;

/*
 * The long proof, or the parts of it given as arguments:
 * - mutants: checks the first mutant of each rule with all rules and with other tools; writes docs/reference/mutants.md
 * - specmatic: checks a sample of the mutants with Specmatic; writes docs/reference/mutants.md
 * - sources: checks mutants of the server's source code; writes docs/reference/mutants.md
 * - outside: checks all other mutants with all rules
 * - variants: checks each allowed variant on its own
 * - others: checks all variants on the mock and on the second server, in a few runs
 * - sequences: finds each mutant of sequences, and makes 10,000 sequences on correct servers
 * - rounds: checks the correct server many times in a row while both processors are busy
 */
const PARTS: Record<string, () => Promise<number>> = {
  async mutants() {
    const { rows, alarms } = await checkAll('mutants', firstMutants.length);
    saveResults('mutants', keepPeers({ rows, alarms }, await loadResults('mutants')));
    await writePage();
    return countBad(rows);
  },
  async specmatic() {
    const results = await askSlowPeer('specmatic', await loadResults('mutants'), (row) =>
      console.log(`${row.peers?.length ? 'found ' : 'missed'} ${row.rule}: ${row.breaks}`),
    );
    saveResults('mutants', results);
    await writePage();
    return 0;
  },
  sources: () => mutateSources(),
  // They list no companions: what else they break is printed, but is not an error.
  async outside() {
    const { rows } = await checkAll('outside', mutants.length - firstMutants.length);
    return rows.filter(({ caught }) => !caught).length;
  },
  variants: checkEachVariant,
  others: checkOnOthers,
  sequences: checkSequences,
  rounds: repeatCorrect,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}: use ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
let bad = 0;
for (const [name, run] of Object.entries(PARTS)) {
  if (wanted.length === 0 || wanted.includes(name)) bad += await run();
}
console.log(bad === 0 ? 'All results are as expected.' : `${bad} unexpected results.`);
process.exitCode = bad > 0 ? 1 : 0;

function isBad({ caught, unrelated }: MutantRow): boolean {
  return !caught || unrelated.length > 0;
}

function countBad(rows: readonly MutantRow[]): number {
  return rows.filter(isBad).length;
}

/** @throws Error if a process ended early */
async function checkAll(
  part: string,
  count: number,
): Promise<{ rows: MutantRow[]; alarms: Alarms }> {
  const rows: MutantRow[] = [];
  let alarms: Alarms | undefined;
  const script = new URL('../src/soak/check-shard.ts', import.meta.url);
  const checkShard = async (index: number) => {
    const child = fork(script, [part, String(index), String(PROCESSES)]);
    child.on('message', (message: ShardMessage) => {
      if ('alarms' in message) {
        alarms ??= message.alarms;
        return;
      }
      const { row } = message;
      rows.push(row);
      const also = row.unrelated.length > 0 ? `; also ${row.unrelated.join(' ')}` : '';
      const verdict = (part === 'outside' ? !row.caught : isBad(row)) ? 'BAD' : 'ok ';
      console.log(`${rows.length}/${count} ${verdict} ${row.rule}: ${row.breaks}${also}`);
    });
    await once(child, 'exit');
  };
  await Promise.all(Array.from({ length: PROCESSES }, (_, index) => checkShard(index)));
  if (rows.length < count || alarms === undefined) {
    throw new Error(`Only ${rows.length} of ${count} mutants were checked.`);
  }
  return { rows: rows.toSorted((a, b) => a.index - b.index), alarms };
}

async function checkEachVariant(): Promise<number> {
  const mutated = await startMutated();
  let bad = 0;
  try {
    for (const [index, one] of variants.entries()) {
      const { report, failures } = await checkVariants(mutated, [one]);
      const isGood = report.exitCode === 0 && failures.length === 0;
      if (!isGood) bad += 1;
      console.log(`${index + 1}/${variants.length} ${isGood ? 'ok ' : 'BAD'} ${one.name}`);
      for (const line of failures) console.log(`  ${line}`);
    }
  } finally {
    await mutated.close();
  }
  return bad;
}

async function checkOnOthers(): Promise<number> {
  let bad = 0;
  for (const [name, start] of Object.entries({ mock: startConformingMock, second: startSecond })) {
    const mutated = await startMutated(start);
    let count = 0;
    try {
      for (const rows of toRuns(variants)) {
        const { report, failures, effective } = await checkVariants(mutated, rows);
        const isGood = report.exitCode === 0 && failures.length === 0;
        if (!isGood) bad += 1;
        count += effective.size;
        console.log(`${isGood ? 'ok ' : 'BAD'} ${name}: ${rows.length} variants`);
        for (const line of failures) console.log(`  ${line}`);
      }
    } finally {
      await mutated.close();
    }
    console.log(`${name}: ${count} of ${variants.length} variants changed a message`);
  }
  return bad;
}

async function checkSequences(): Promise<number> {
  const mutated = await startMutated();
  let found = 0;
  let bad = 0;
  const only = ['ST-SEQUENCE'];
  try {
    for (const mutant of sequences) {
      const { caught, report } = await checkMutant(mutated, mutant, [mutant.rule]);
      const [finding] = report.results.find(({ id }) => id === mutant.rule)?.findings ?? [];
      const steps = Number(/ after (\d+) steps /.exec(finding?.message ?? '')?.[1]);
      if (caught && steps <= MOST_STEPS) found += 1;
      console.log(`${caught ? `${steps} steps` : 'MISSED'}: ${mutant.rule}: ${mutant.breaks}`);
    }
    console.log(`${found} of ${sequences.length} mutants found in at most ${MOST_STEPS} steps`);
    if (found / sequences.length < LEAST_FOUND) bad += 1;
    for (const rows of toRuns(variants)) {
      const more = { only, sequences: VARIED_SEQUENCES };
      const { failures } = await checkVariants(mutated, rows, more);
      bad += failures.length;
      console.log(`${failures.length} false alarms with ${rows.length} variants`, ...failures);
    }
  } finally {
    await mutated.close();
  }
  const others = { 'reference server': startReference, mock: startConformingMock };
  const targets = Object.entries({ ...others, 'second server': startSecond });
  for (const [name, start] of targets) {
    const { options, close } = await start();
    // Each of the two rules makes this many.
    const each = Math.ceil(SOUND_SEQUENCES / targets.length / only.length);
    try {
      const { results } = await createConformance({ ...options, only, sequences: each }).run();
      for (const { id, outcome, reason, findings, notes } of results) {
        if (outcome === 'disabled') continue;
        if (outcome !== 'pass') bad += 1;
        console.log(`${outcome} ${id}: ${each} sequences on the ${name}`, reason ?? '', ...notes);
        for (const { message, script } of findings) console.log(message, script);
      }
    } finally {
      await close();
    }
  }
  return bad;
}

async function repeatCorrect(): Promise<number> {
  const spin = 'for (;;) Math.sqrt(Math.random());';
  const load = [1, 2].map(() => new Worker(spin, { eval: true }));
  const reference = await startReference();
  let flaky = 0;
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { results, summary, durationMs, seed } = await createConformance(
        reference.options,
      ).run();
      const failed = results.filter(({ outcome }) => outcome !== 'pass');
      if (failed.length > 0) flaky += 1;
      console.log(`round ${round}: ${summary.pass} pass in ${durationMs} ms, seed ${seed}`);
      for (const { id, outcome, reason, findings } of failed) {
        console.log(`  ${outcome} ${id}: ${reason ?? findings[0]?.message}`);
      }
    }
  } finally {
    await reference.close();
    for (const worker of load) await worker.terminate();
  }
  return flaky;
}
