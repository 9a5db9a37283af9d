import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RUNTIME } from './start-server.ts';

const PACKAGE = join(import.meta.dirname, '../..');
const ROOT = join(PACKAGE, '../..');

/** This repository's TypeScript 7, and 5.9, which the client's code generator uses. */
const COMPILERS = {
  7: join(ROOT, 'node_modules/typescript/bin/tsc'),
  5: createRequire(import.meta.resolve('@berth/codegen')).resolve('typescript/bin/tsc'),
} as const;

/** A folder below this package, so that the types of Node and the runtime are found. */
export async function createSourceFolder(name: string): Promise<string> {
  const folder = join(PACKAGE, 'node_modules/.cache/stubs', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

/** The runtime, as files in a folder of the package import it that are this many folders below `stubs`. */
export function withRelativeRuntime(
  files: ReadonlyMap<string, string | object>,
  depth: 1 | 2,
): Map<string, string | object> {
  const relative = `${'../'.repeat(3 + depth)}src/runtime/index.ts`;
  return new Map(
    [...files].map(([name, content]) => [
      name,
      typeof content === 'string' ? content.replaceAll(RUNTIME, relative) : content,
    ]),
  );
}

/** Writes files, and returns the folder. */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string | object>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Returns a compiler's output for all files in a folder, in the same strict mode as this repository. */
export async function compileTypes(
  folder: string,
  version: keyof typeof COMPILERS,
): Promise<string> {
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      ...(version === 5 ? { lib: ['esnext', 'dom'] } : {}),
    },
    include: ['./**/*.ts'],
    exclude: [],
  };
  const file = join(folder, `tsconfig.${version}.json`);
  await writeFile(file, JSON.stringify(config));
  return new Promise((resolve) => {
    execFile(process.execPath, [COMPILERS[version], '-p', file], (_, out, error) => {
      resolve(out + error);
    });
  });
}
