import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { measureImport } from './soak/measure-import.ts';
import { readGithubDocument } from './soak/read-github-document.ts';

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
