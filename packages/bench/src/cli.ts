import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { assertWritable } from './assert-writable.ts';
import { describeMachine } from './describe-machine.ts';
import { mergeRows } from './merge-rows.ts';
import { peerVersion } from './peer-version.ts';
import { readRows } from './read-rows.ts';
import type { DatedRow, Row, Suite } from './row.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { suites } from './suites.ts';
import { toPage } from './to-page.ts';
import { toSummary, toTable } from './to-table.ts';

type Options = { json?: string; page?: string; from?: string; runs: number };

const program = new Command('npm run bench --')
  .description('Measures Berth and its peers in turn, in one run, and prints the median ratios.')
  .argument('[suite...]', `suites to run: ${suites.map(({ name }) => name).join(', ')}`, [])
  .option(
    '--json <file>',
    'also write the rows as JSON; in a file of rows those of the suites that were run are replaced, and those of the others kept',
    toPath,
  )
  .option('--page <file>', 'also write the page docs/reference/performance.md', toPath)
  .option('--from <file>', 'measure nothing: take the rows of an earlier --json', toPath)
  .addOption(
    new Option('--runs <count>', 'pairs to measure')
      .argParser(toCount)
      .default(5)
      .conflicts('from'),
  )
  .addHelpText(
    'after',
    `\n${suites.map(({ name, description }) => `${name}: ${description}`).join('\n')}

Exit codes: 0 done; 1 a suite broke off; 2 the command line or a file that it names is at fault; 130 and 143
ended by SIGINT or SIGTERM.`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const { json, page, from, runs } = program.opts<Options>();
const names = program.processedArgs[0] as string[];
const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
if (unknown !== undefined) {
  const known = suites.map(({ name }) => name).join(', ');
  program.error(`error: there is no suite ${unknown}: choose among ${known}`);
}
const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));
if (page && chosen.length < suites.length) {
  program.error(
    'error: a page holds every suite: run some with --json FILE, and make the page with --from FILE',
  );
}
if (page && [json, from].some((file) => file && resolve(file) === resolve(page))) {
  program.error(`error: ${page} is the file of the rows: name another file for --page`);
}

const old = json && existsSync(json) ? await readOption('--json', json) : [];
if (json) await tryOption('--json', json);
if (page) await tryOption('--page', page);
const stopped = stopOnSignal();
const rows = from ? await readChosen(from) : await measure();
const figures = chosen.flatMap((suite) => suite.figures);
process.stdout.write(`${toTable(figures, rows)}\n\n${toSummary(figures, rows)}\n`);
if (json) await writeFile(json, `${JSON.stringify(mergeRows(old, rows), null, 2)}\n`);
if (page) await writeFile(page, toPage(figures, rows));

async function measure(): Promise<DatedRow[]> {
  const rows: DatedRow[] = [];
  const machine = describeMachine();
  for (const suite of chosen) {
    process.stderr.write(`${suite.name}: ${suite.description} …\n`);
    const date = new Date().toISOString();
    for (const row of await runSuite(suite)) {
      rows.push({ ...row, date, machine, peerVersion: peerVersion(row.peerName) });
    }
  }
  return rows;
}

/** A suite that breaks off leaves its figures unmeasured, and those of the others as they are. */
async function runSuite(suite: Suite): Promise<Row[]> {
  try {
    return await suite.run(runs);
  } catch (error) {
    // The process ends as soon as all is gone that it has started: no other suite begins.
    if (stopped.aborted) return new Promise(() => {});
    process.stderr.write(`${suite.name} broke off: ${(error as Error).stack}\n`);
    process.exitCode = 1;
    return [];
  }
}

async function readChosen(file: string): Promise<DatedRow[]> {
  const rows = await readOption('--from', file);
  return rows.filter(({ suite }) => chosen.some(({ name }) => name === suite));
}

async function readOption(option: string, file: string): Promise<DatedRow[]> {
  try {
    return await readRows(file);
  } catch (error) {
    return program.error(`error: ${option} ${file} ${(error as Error).message}: name another file`);
  }
}

async function tryOption(option: string, file: string): Promise<void> {
  try {
    await assertWritable(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    program.error(`error: ${option} ${file} cannot be written: ${code}: name another file`);
  }
}

function toPath(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('Give a whole number of at least 1.');
}
