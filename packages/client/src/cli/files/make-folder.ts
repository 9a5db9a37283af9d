import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder where it is missing, and those above it. Step by step, for `mkdir` with `recursive`
 * never ends in a file system that refuses without a reason (`/proc`).
 *
 * @throws the error of the file system
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await makeFolder(dirname(folder));
    await make(folder);
  }
}

/** Another file may need the same folder at the same time. */
async function make(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
