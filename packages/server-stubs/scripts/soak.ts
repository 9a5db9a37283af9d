import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from '../generator/generate.ts';
import { compareVerdicts, prepareCases } from '../test/corpus/cases.ts';
import { createOracle } from '../test/corpus/create-oracle.ts';
import {
  callAll,
  compileTypes,
  createSourceFolder,
  RUNTIME,
  withRelativeRuntime,
  writeFiles,
} from '../test/corpus/generated.ts';

// Generates, compiles, loads and serves GitHub's document, which is too large for every `npm test`, and
// compares its validators with Ajv. SEED=… repeats a run.
const LIMITS = { generated: 60_000, imported: 80 } as const;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const failures: string[] = [];

const document = JSON.parse(await readGithubDocument());
const folder = await mkdtemp(join(tmpdir(), 'berth-github-'));
try {
  const started = performance.now();
  const { files, operations } = generate(document, { runtime: RUNTIME });
  const generated = performance.now() - started;
  await writeFiles(folder, files);
  report(`${operations.length} operations generated`, generated, generated < LIMITS.generated);

  const imported = await measureImport(folder, 'request-validators', RUNTIME);
  report('all request validators loaded', imported, imported < LIMITS.imported);

  const source = await createSourceFolder('github');
  await writeFiles(source, withRelativeRuntime(files, 1));
  const compiling = performance.now();
  const errors = await compileTypes(source, 7);
  report('compiled under strict', performance.now() - compiling, errors === '');
  if (errors !== '') print(errors);

  const calling = performance.now();
  const statuses = await callAll(folder);
  const isCorrect = Object.keys(statuses).every((status) => /^4|501/.test(status));
  report(`all called: ${JSON.stringify(statuses)}`, performance.now() - calling, isCorrect);

  for (const direction of ['request', 'response'] as const) {
    const comparing = performance.now();
    const cases = await prepareCases(document, direction, join(folder, direction), seed);
    const result = compareVerdicts(cases, createOracle(document, direction));
    const text = `${result.judged} ${direction} values validated, ${result.accepted} valid, ${result.differing.length} differ from Ajv (SEED=${seed})`;
    report(text, performance.now() - comparing, result.differing.length === 0);
    for (const each of result.differing.slice(0, 20)) print(JSON.stringify(each));
  }
} finally {
  await rm(folder, { recursive: true });
}
process.exitCode = failures.length > 0 ? 1 : 0;

function report(text: string, milliseconds: number, isGood: boolean): void {
  if (!isGood) failures.push(text);
  print(`${isGood ? 'ok  ' : 'FAIL'} ${Math.round(milliseconds)} ms  ${text}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const RUNS = 7;

/** Median milliseconds in a new process, once the runtime is loaded. */
async function measureImport(folder: string, name: string, runtime: string): Promise<number> {
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

/** MIT license. Contains ten variants, 390 MB unpacked, of which only one file is needed. */
const PACKAGE = '@octokit/openapi@23.0.2';
const FILE = 'package/generated/api.github.com.json';
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/octokit-openapi-23.0.2');

/** Returns GitHub's OpenAPI document, which is downloaded from the npm registry the first time. */
async function readGithubDocument(): Promise<string> {
  const file = join(CACHE, FILE);
  if (!existsSync(file)) await fetchDocument();
  return readFile(file, 'utf8');
}

async function fetchDocument(): Promise<void> {
  const run = promisify(execFile);
  const part = `${CACHE}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const { stdout } = await run('npm', ['pack', PACKAGE, '--silent', '--pack-destination', part]);
  const archive = stdout.trim().split('\n').at(-1) ?? '';
  await run('tar', ['-xzf', archive, FILE], { cwd: part });
  await rm(join(part, archive));
  await rename(part, CACHE);
}
