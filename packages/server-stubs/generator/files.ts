import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/**
 * Not a recursive `mkdir`, which never returns if an existing parent rejects new folders with `ENOENT`, as
 * `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Names the folder and the fix in a file system error. Rethrows other errors. */
export function withFolderError(
  folder: string,
  fix: string,
): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall === undefined) throw error;
    throw new Error(`${folder} cannot be written (${error.code}): ${fix}.`, { cause: error });
  };
}

/** Replaces the file atomically, and only if its text has changed, so that watchers are not triggered. */
export async function writeMarked(file: string, content: string, mark: string): Promise<void> {
  const text = `// ${mark}\n\n${content.trim()}\n`;
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  await makeFolder(dirname(file));
  const part = `${file}.${randomUUID()}.part`;
  try {
    await writeFile(part, text, { flag: 'wx' });
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
}

/** Not imported, because an import would copy `package.json` into the build. */
export function readManifest(): { version: string; engines: { node: string } } {
  const file = createRequire(import.meta.url).resolve('@berth/server-stubs/package.json');
  return JSON.parse(readFileSync(file, 'utf8'));
}
