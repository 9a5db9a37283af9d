import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const RUNS = 7;

/** Median milliseconds in a new process, once the runtime is loaded. */
export async function measureImport(
  folder: string,
  name: string,
  runtime: string,
): Promise<number> {
  const text = await readFile(join(folder, `${name}.gen.ts`), 'utf8');
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, stripTypeScriptTypes(text));
  const script = `
    await import(${JSON.stringify(runtime)});
    const start = performance.now();
    await import(${JSON.stringify(file)});
    process.stdout.write(String(performance.now() - start));
  `;
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const args = [
      '--no-warnings',
      '--conditions=berth-source',
      '--input-type=module',
      '-e',
      script,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    times.push(Number(stdout));
  }
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
}
