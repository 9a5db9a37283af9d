/* biome-ignore-all lint/suspicious/noConsole: a script talks to the terminal */

import type { SourceMutantRow } from '../source-mutants/check-source-mutant.ts';
import { runSourceMutants } from '../source-mutants/run-source-mutants.ts';
import { toScore, toSurvivor } from '../source-mutants/survivors.ts';
import { loadResults, saveResults, writePage } from './results.ts';

export interface MutateOptions {
  /** Number of mutants to draw. Default: 200. */
  sample?: number;
  /** Seed of the draw. Default: 1. */
  seed?: number;
  processes?: number;
  /** Keep the saved results of mutants that were checked before. Default: false. */
  keep?: boolean;
}

/** A caller could see the fault in all other mutants of the sources. */
const LEAST_SCORE = 0.9;

/**
 * Checks a sample of the mutants of the server's source code, prints each result, and saves all of them.
 *
 * @returns the number of survivors without a reason, and one more if the score is too low
 */
export async function mutateSources(given: MutateOptions = {}): Promise<number> {
  const { sample = 200, seed = 1, processes = 2, keep = false } = given;
  const known = keep ? (await loadResults('source-mutants')).rows : [];
  const results = await runSourceMutants({
    ...{ sample, seed, processes, known },
    onRow(row, soFar) {
      print(row);
      saveResults('source-mutants', soFar);
    },
  });
  saveResults('source-mutants', results);
  await writePage();
  const unclassified = results.rows.filter((row) => toSurvivor(row)?.kind === 'unclassified');
  for (const row of unclassified) {
    print(row);
    console.log(`  Add ${row.key} to packages/proof/src/source-mutants/survivors.ts.`);
  }
  const { found, missed, score } = toScore(results.rows);
  console.log(`${found} found, ${missed} missed: ${(score * 100).toFixed(1)} %`);
  return unclassified.length + (score < LEAST_SCORE ? 1 : 0);
}

function print({ key, verdict, by, file, line, mutator, original, replacement }: SourceMutantRow) {
  const quote = (text: string) => JSON.stringify(text.replace(/\s+/g, ' ').slice(0, 60));
  const change = `${quote(original)} → ${quote(replacement)}`;
  console.log(
    `${[verdict, by].filter(Boolean).join(' ')}: ${key} ${file}:${line} ${mutator} ${change}`,
  );
}
