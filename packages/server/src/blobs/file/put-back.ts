import { link, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskCodeOf } from './disk-error.ts';
import { placeIn } from './folders.ts';
import type { Layout } from './layout.ts';
import { statFile } from './stat-file.ts';

/**
 * Gives a file that was taken away by mistake its name back, durably. Where somebody has written a newer
 * one in the meantime, that one stays, and what was taken away is as good as overwritten.
 *
 * @param taken where it stands now
 * @param path where it stood
 */
export async function putBack({ files }: Layout, taken: string, path: string): Promise<void> {
  const isLost = async () => (await statFile(taken)) === undefined;
  try {
    await placeIn(files, dirname(path), () => link(taken, path), isLost);
  } catch (error) {
    if (diskCodeOf(error) !== 'EEXIST') throw error;
  }
  await unlink(taken);
}
