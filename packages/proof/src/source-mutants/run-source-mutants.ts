import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Shard } from './check-shard.ts';
import type { SourceMutantRow } from './check-source-mutant.ts';
import { drawSample, instrument, type SourceMutant } from './instrument.ts';
import { measure, type Normal } from './measure.ts';

const CACHE = fileURLToPath(new URL('../../.reports/source-mutants/', import.meta.url));
const SUITE = fileURLToPath(new URL('../../../conformance/src/', import.meta.url));
const CHECK_SHARD = new URL('./check-shard.ts', import.meta.url);

export interface SourceMutantsOptions {
  /** Number of mutants to draw. */
  sample: number;
  seed: number;
  processes: number;
  /** Results of an earlier run, which are used instead of checking these mutants again. */
  known: readonly SourceMutantRow[];
  /** Called with each new result, and with all results so far. */
  onRow: (row: SourceMutantRow, results: SourceMutants) => void;
}

/** The results for a sample. */
export interface SourceMutants {
  seed: number;
  /** Number of mutants in the files, of which the sample is a part. */
  total: number;
  rows: SourceMutantRow[];
}

/** Draws mutants of the server's sources, and checks each with the suite. */
export async function runSourceMutants(options: SourceMutantsOptions): Promise<SourceMutants> {
  const { sample, seed, processes, known, onRow } = options;
  const folder = await mkdtemp(join(tmpdir(), 'berth-source-mutants-'));
  try {
    const { sources, mutants } = await instrument();
    const place = { folder, sources: join(folder, 'sources.json') };
    const text = JSON.stringify(sources);
    await writeFile(place.sources, text);
    const normal = await recall(text + (await readSuite()), () => measure(place));
    const drawn = drawSample(mutants, sample, seed);
    const earlier = new Map(known.map((row) => [row.key, row]));
    const rows = drawn.flatMap(({ key, line }) => {
      const row = earlier.get(key);
      return row ? [{ ...row, line }] : [];
    });
    const results = { seed, total: mutants.length, rows };
    const open = drawn.filter(({ key }) => !earlier.has(key));
    const check = (shard: SourceMutant[]) =>
      checkShard({ mutants: shard, normal, place }, (row) => {
        rows.push(row);
        onRow(row, results);
      });
    await Promise.all(
      Array.from({ length: processes }, (_, at) =>
        check(open.filter((_, index) => index % processes === at)),
      ),
    );
    return results;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readSuite(): Promise<string> {
  const texts: string[] = [];
  for await (const name of glob('**/*.ts', { cwd: SUITE })) {
    texts.push(await readFile(join(SUITE, name), 'utf8'));
  }
  return texts.toSorted().join('');
}

/** Measures only once per state of the server and the suite. */
async function recall(sources: string, measureNow: () => Promise<Normal>): Promise<Normal> {
  const name = createHash('sha256').update(sources).digest('hex');
  const file = join(CACHE, `${name}.json`);
  const cached = await readFile(file, 'utf8').catch(() => undefined);
  if (cached !== undefined) return JSON.parse(cached);
  const normal = await measureNow();
  await mkdir(CACHE, { recursive: true });
  await writeFile(file, JSON.stringify(normal));
  return normal;
}

/** @throws Error if the process ended early */
async function checkShard(shard: Shard, onRow: (row: SourceMutantRow) => void): Promise<void> {
  const child = fork(CHECK_SHARD);
  const ended = once(child, 'exit');
  child.on('message', onRow);
  child.send(shard);
  const [code] = await ended;
  if (code !== 0) throw new Error(`A process that checks source mutants ended with ${code}.`);
}
