import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it where they are missing. `mkdir` with `recursive` never ends where the
 * folder above is there and says `ENOENT` to every new one, as `/proc` does.
 *
 * @throws the error of the file system
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Somebody else may have made it in the meantime.
    if (!(await isFolder(folder))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * Makes of an error of the file system one that names the folder and what to do; any other error stays.
 *
 * @example
 * await write(file).catch(tellFolder(folder, 'name another one'));
 */
export function tellFolder(folder: string, fix: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall === undefined) throw error;
    throw new Error(`${folder} cannot be written (${error.code}): ${fix}.`, { cause: error });
  };
}

/**
 * Writes a generated file with its mark in the first line; in JSON, as first property. The file is
 * replaced in one step, and only where its text has changed, so that watchers stay quiet.
 */
export async function writeMarked(
  file: string,
  content: string | object,
  mark: string,
): Promise<void> {
  const text =
    typeof content === 'string'
      ? `// ${mark}\n\n${content.trim()}\n`
      : `${JSON.stringify({ 'x-generated': mark, ...content }, null, 2)}\n`;
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
