import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generate } from '../../generator/generate.ts';
import { loadDocument } from '../../generator/load.ts';
import type { RouteTable } from '../../src/runtime/index.ts';

const PACKAGE = join(import.meta.dirname, '../..');
const ROOT = join(PACKAGE, '../..');

const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** The specifier of the runtime in generated files: Node.js finds it from any folder. */
const RUNTIME = pathToFileURL(join(PACKAGE, 'src/runtime/index.ts')).href;

/** A folder below this package, so that the types of Node and the runtime are found. */
export async function createSourceFolder(name: string): Promise<string> {
  const folder = join(PACKAGE, 'node_modules/.cache/stubs', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Loads a generated module without Vite, which would transform it. */
const load = createRequire(import.meta.url);

/** @param runtime a different specifier for the runtime, such as the public one, which a compiler resolves */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  runtime = RUNTIME,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    await writeFile(join(folder, name), content.replaceAll(RUNTIME, runtime));
  }
}

export async function generateFrom(source: string | object) {
  const document = await loadDocument(source);
  return generate(document, RUNTIME);
}

/** Generates a route table and loads it into this process. */
export async function loadGenerated(document: object): Promise<{ table: RouteTable }> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-stubs-'));
  try {
    await writeFiles(folder, (await generateFrom(document)).files);
    return { table: load(join(folder, 'routes.gen.ts')).routes };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns a compiler's output for all files in a folder, in the same strict mode as this repository. */
export async function compileTypes(folder: string): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: ['./**/*.ts'],
    exclude: [],
  };
  const file = join(folder, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  return new Promise((resolve) => {
    execFile(process.execPath, [COMPILER, '-p', file], (_, out, error) => {
      resolve(out + error);
    });
  });
}
