import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BlobKey } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { assertRealFolder, pruneFolders } from './folders.ts';
import { type Layout, toMissing } from './layout.ts';

/** Removes a file, durably, and the folders that it leaves empty. Whether there was one. */
export async function deleteFile(layout: Layout, key: BlobKey): Promise<boolean> {
  const file = layout.fileOf(key);
  const folder = dirname(file);
  try {
    await assertRealFolder(folder);
    await unlink(file);
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT') throw error;
    await toMissing(layout, key);
    return false;
  }
  await pruneFolders(layout.files, folder);
  return true;
}
