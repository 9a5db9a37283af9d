import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskCodeOf } from './disk-error.ts';
import { syncFolder } from './folders.ts';

/**
 * Makes a folder and those above it if they are missing, durably. `mkdir` with `recursive` never ends where the
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
  try {
    await syncFolder(parent);
  } catch (error) {
    // One may make names in a folder that one may not read.
    if (diskCodeOf(error) !== 'EACCES') throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
