import { writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { mutants } from '../mutants/index.ts';
import type { SourceMutants } from '../source-mutants/run-source-mutants.ts';
import { type Mutants, toMutantsPage } from '../to-mutants-page.ts';

const PAGE = fileURLToPath(new URL('../../../../docs/reference/mutants.md', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../results/', import.meta.url));

interface Results {
  mutants: Mutants;
  'source-mutants': SourceMutants;
}

/** Reads the results of the last run of a part. */
export async function loadResults<Part extends keyof Results>(part: Part): Promise<Results[Part]> {
  return JSON.parse(await readFile(toFile(part), 'utf8'));
}

/** Saves the results of a part synchronously, so that an interrupted run loses nothing. */
export function saveResults<Part extends keyof Results>(part: Part, results: Results[Part]): void {
  writeFileSync(toFile(part), `${JSON.stringify(results, null, 2)}\n`);
}

/** Writes docs/reference/mutants.md from the saved results. */
export async function writePage(): Promise<void> {
  const [results, sources] = await Promise.all([
    loadResults('mutants'),
    loadResults('source-mutants'),
  ]);
  await writeFile(PAGE, toMutantsPage(results, mutants.length, sources));
}

function toFile(part: keyof Results): string {
  return `${FOLDER}${part}.json`;
}
