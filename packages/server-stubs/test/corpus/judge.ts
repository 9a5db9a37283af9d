import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Values for one validator in a generated module, which is identified by its path. */
export interface Case {
  readonly module: string;
  readonly path: readonly (string | number)[];
  readonly values: readonly unknown[];
}

const CHILD = join(import.meta.dirname, 'judge-child.ts');

/** Runs generated validators in a process that cannot compile code from strings. */
export async function judge(cases: readonly Case[]): Promise<boolean[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-judge-'));
  try {
    await writeFile(join(folder, 'cases.json'), JSON.stringify(cases));
    const flags = ['--disallow-code-generation-from-strings', '--conditions=berth-source'];
    await promisify(execFile)(process.execPath, [...flags, CHILD, folder]);
    return JSON.parse(await readFile(join(folder, 'verdicts.json'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
}
