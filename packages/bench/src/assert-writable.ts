import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Tries whether a file can be written, and makes its folder. The file itself stays as it is.
 *
 * @throws the error of the file system
 */
export async function assertWritable(file: string): Promise<void> {
  const isNew = !existsSync(file);
  await makeFolder(dirname(file));
  await (await open(file, 'a')).close();
  if (isNew) await rm(file);
}

/** Step by step: `mkdir` with `recursive` never ends below `/proc`, which says `ENOENT` to every new folder. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}
