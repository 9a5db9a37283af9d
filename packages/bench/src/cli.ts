import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { DatedRow, Row, Suite } from './compare.ts';
import { stopAll } from './processes.ts';
import { suites } from './suites.ts';
import { toPage } from './to-page.ts';
import { toSummary, toTable } from './to-table.ts';

/** npm packages of the peers that are not named after theirs. */
const PACKAGES: Readonly<Record<string, string>> = {
  'Express 5 by hand': 'express',
  'undici.stream': 'undici',
  'busboy to disk with fsync': '@fastify/busboy',
  'prism-cli': '@stoplight/prism-cli',
  'openapi-fetch with a time limit': 'openapi-fetch',
};

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  nginx: ['nginx', '-v'],
  'curl -F': ['curl', '--version'],
};

/** The peer's version; empty for a limit, and for parts of Node. */
function peerVersion(peerName: string): string {
  const program = PROGRAMS[peerName];
  if (program) return versionOf(program);
  const manifest = findManifest(PACKAGES[peerName] ?? peerName);
  return manifest === undefined ? '' : JSON.parse(readFileSync(manifest, 'utf8')).version;
}

function findManifest(name: string): string | undefined {
  try {
    return name.includes(' ') ? undefined : findPackageJSON(name, import.meta.url);
  } catch {
    return undefined;
  }
}

function versionOf([file, ...args]: readonly string[]): string {
  try {
    // nginx prints its version on standard error.
    const text = execFileSync('sh', ['-c', '"$@" 2>&1', 'sh', file as string, ...args], {
      encoding: 'utf8',
    });
    return /\d+(\.\d+)+/.exec(text)?.[0] ?? '';
  } catch {
    return '';
  }
}

/** Exit codes after a signal: 128 plus its number. */
const CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * On SIGINT and SIGTERM, stops every process that the bench has started, then the bench itself.
 *
 * @returns a signal that aborts then, so that interrupted suites are not reported as failed
 */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, code] of Object.entries(CODES)) {
    process.on(name, async () => {
      // Terminals and npm often send one signal twice: to the group, and to the process.
      if (controller.signal.aborted) return;
      controller.abort();
      await stopAll();
      process.exit(code);
    });
  }
  return controller.signal;
}

type Options = { json?: string; page?: string; from?: string; runs: number };

const program = new Command('npm run bench --')
  .description('Benchmark Berth against comparable tools and print the median ratios.')
  .argument('[suite...]', `suites to run: ${suites.map(({ name }) => name).join(', ')}`, [])
  .option(
    '--json <file>',
    'also write the results as JSON; an existing file keeps the rows of suites that did not run',
    toPath,
  )
  .option('--page <file>', 'also write the results page, docs/reference/performance.md', toPath)
  .option(
    '--from <file>',
    'read the results from an earlier --json file instead of measuring',
    toPath,
  )
  .addOption(
    new Option('--runs <count>', 'number of pairs to measure; three times as many of CPU rates')
      .argParser(toCount)
      .default(5)
      .conflicts('from'),
  )
  .addHelpText(
    'after',
    `\n${suites.map(({ name, description }) => `${name}: ${description}`).join('\n')}

Exit codes: 0 success; 1 a suite failed; 2 invalid command line or file; 130 and 143
ended by SIGINT or SIGTERM.`,
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
  .parse();

const { json, page, from, runs } = program.opts<Options>();

const names = program.processedArgs[0] as string[];

const unknown = names.find((name) => !suites.some((suite) => suite.name === name));

if (unknown !== undefined) {
  const known = suites.map(({ name }) => name).join(', ');
  program.error(`error: unknown suite ${unknown}: choose from ${known}`);
}

const chosen = suites.filter(({ name }) => names.length === 0 || names.includes(name));

if (page && chosen.length < suites.length) {
  program.error(
    'error: --page needs the results of every suite: run suites with --json FILE, then pass --from FILE',
  );
}

if (page && [json, from].some((file) => file && resolve(file) === resolve(page))) {
  program.error(`error: --page and the results file are both ${page}: use another file for --page`);
}

const old = json && existsSync(json) ? await readRows('--json', json) : [];

if (json) await assertWritable('--json', json);

if (page) await assertWritable('--page', page);

const stopped = stopOnSignal();

const rows = from
  ? (await readRows('--from', from)).filter(({ suite }) =>
      chosen.some(({ name }) => name === suite),
    )
  : await measure();

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

/** Runs a suite. If it fails, it has no figures, but the other suites still run. */
async function runSuite(suite: Suite): Promise<Row[]> {
  try {
    return await suite.run(runs);
  } catch (error) {
    // The processes of a suite are killed on a signal, so do not start another one.
    if (stopped.aborted) return new Promise(() => {});
    process.stderr.write(`${suite.name} failed: ${(error as Error).stack}\n`);
    process.exitCode = 1;
    return [];
  }
}

async function readRows(option: string, file: string): Promise<DatedRow[]> {
  try {
    const rows = JSON.parse(await readFile(file, 'utf8'));
    if (Array.isArray(rows)) return rows;
    throw new Error('it is not a list of rows');
  } catch (error) {
    const { message } = error as Error;
    return program.error(`error: ${option} ${file} cannot be read: ${message}: use another file`);
  }
}

/** Opens a file for results before anything is measured, so that no measurement is lost. */
async function assertWritable(option: string, file: string): Promise<void> {
  try {
    const isNew = !existsSync(file);
    await mkdir(dirname(file), { recursive: true });
    await (await open(file, 'a')).close();
    if (isNew) await rm(file);
  } catch (error) {
    const { message } = error as Error;
    program.error(`error: ${option} ${file} cannot be written: ${message}: use another file`);
  }
}

function toPath(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new InvalidArgumentError('It must be an integer of at least 1.');
}

/** Describes the machine: `AMD EPYC, 2 cores, 8 GB, linux 6.18, Node 24.21.0`. */
function describeMachine(): string {
  return [
    cpus()[0]?.model.trim() || 'unknown processor',
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 1e9)} GB`,
    `${platform()} ${release().split('.').slice(0, 2).join('.')}`,
    `Node ${process.versions.node}`,
  ].join(', ');
}

/** Replaces the rows of the suites that ran, and returns all rows in suite order. */
function mergeRows(old: readonly DatedRow[], rows: readonly DatedRow[]): DatedRow[] {
  return suites.flatMap(({ name }) => {
    const own = rows.filter(({ suite }) => suite === name);
    return own.length > 0 ? own : old.filter(({ suite }) => suite === name);
  });
}
