import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadRoutes } from '../generator/document.ts';
import { features, readPublicDocuments } from './corpus/documents.ts';
import { compileTypes, createSourceFolder, generateFrom, writeFiles } from './corpus/generated.ts';
import { createHostileDocuments } from './corpus/hostile.ts';

const SEED = Number(process.env.SEED ?? 20_261_122);

/** The documents whose code is compiled: large ones, and ones with unusual schemas. */
const COMPILED = [
  '3.0/polymorphism.json',
  '3.0/schema-circular.json',
  '3.0/star-trek.json',
  '3.1/petstore.json',
  '3.1/schema-types.json',
  '3.1/train-travel.json',
];

/** Imports every module in the folders, and prints the route tables without their functions. */
const IMPORT_ALL = `
  import { readdirSync } from 'node:fs';
  import { pathToFileURL } from 'node:url';
  const [root, count] = process.argv.slice(1);
  const tables = [];
  for (let index = 0; index < Number(count); index += 1) {
    const folder = pathToFileURL(\`\${root}/\${index}/\`);
    const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    for (const name of names) await import(new URL(name, folder));
    tables.push((await import(new URL('index.gen.ts', folder))).routes);
  }
  console.log(JSON.stringify({ tables, hacked: globalThis.hacked ?? null }));
`;

const documents = readPublicDocuments();
const filesOf = async (document: object) => (await generateFrom(document)).files;

describe(`generated code (SEED=${SEED})`, () => {
  const hostile = createHostileDocuments(SEED);
  let hostileFiles: ReadonlyMap<string, string>[];
  beforeAll(async () => {
    hostileFiles = await Promise.all(hostile.map(filesOf));
  });

  it('has types that compile in strict mode, and let a user write what is allowed', async () => {
    const root = await createSourceFolder('types');
    const compiled = COMPILED.map((name) => filesOf(documents.get(name) as object));
    for (const [index, files] of [...(await Promise.all(compiled)), ...hostileFiles].entries()) {
      await writeFiles(join(root, `${index}`), files, '@berth/server-stubs/runtime');
    }
    const usage = readFileSync(join(import.meta.dirname, 'corpus/features-usage.ts.txt'), 'utf8');
    const files = (await filesOf(features)).set('usage.ts', usage);
    await writeFiles(join(root, 'features'), files, '@berth/server-stubs/runtime');
    expect(await compileTypes(root)).toBe('');
  });

  it('executes no text of its document on import, and keeps each of them intact', async () => {
    const root = await mkdtemp(join(tmpdir(), 'berth-hostile-'));
    onTestFinished(() => rm(root, { recursive: true }));
    for (const [index, files] of hostileFiles.entries()) {
      await writeFiles(join(root, `${index}`), files);
    }
    // Validators are compiled in advance: they must run where code cannot be created from strings.
    const flags = ['--disallow-code-generation-from-strings', '--conditions=berth-source'];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, '--input-type=module', '--eval', IMPORT_ALL, root, `${hostile.length}`],
      { maxBuffer: 2 ** 28 },
    );
    const { tables, hacked } = JSON.parse(stdout);
    expect(hacked).toBeNull();
    const loading = hostile.map(async (each) => (await loadRoutes(each)).routes);
    const loaded = await Promise.all(loading);
    expect(tables).toEqual(JSON.parse(JSON.stringify(loaded)));
  });
});
