import { rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BlobKey } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { pruneFolders } from './folders.ts';
import type { Layout } from './layout.ts';
import { putBack } from './put-back.ts';
import { statFile } from './stat-file.ts';

/**
 * Removes a file, durably, if it is of this MD5. Whether it was.
 *
 * No call of a file system removes a name only where it still means the same file. So the file is taken
 * away first, then looked at, and put back if a write has come in between. While that lasts, a reader may
 * miss the newer file.
 */
export async function deleteVersion(layout: Layout, key: BlobKey, etag: string): Promise<boolean> {
  const file = layout.fileOf(key);
  if ((await statFile(file))?.etag !== etag) return false;
  const taken = layout.newTmpFile();
  try {
    await rename(file, taken);
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
  let isMeant = false;
  try {
    isMeant = (await statFile(taken))?.etag === etag;
  } finally {
    if (!isMeant) await putBack(layout, taken, file);
  }
  if (!isMeant) return false;
  await unlink(taken);
  await pruneFolders(layout.files, dirname(file));
  return true;
}
