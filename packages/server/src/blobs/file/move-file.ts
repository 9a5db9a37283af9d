import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlobExistsError } from '../blob-errors.ts';
import type { BlobInfo, BlobKey, CopyOptions } from '../blob-store.ts';
import { orMissing } from './disk-error.ts';
import { placeIn, pruneFolders } from './folders.ts';
import { type Layout, toMissing } from './layout.ts';
import { withFileLocks } from './lock-files.ts';
import { statFile } from './stat-file.ts';

/**
 * Moves a file, durably. It is at one of the two places at any time, also when the process is killed, and of
 * two moves of one file one succeeds.
 */
export async function moveFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite, signal }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  const move = () =>
    withFileLocks(layout, [source, destination], async () => {
      signal?.throwIfAborted();
      const info = await statFile(source);
      if (info === undefined) throw await toMissing(layout, from);
      const [moved, replaced] = await Promise.all([identify(source), identify(destination)]);
      if (replaced !== undefined && !overwrite) throw new BlobExistsError(to);
      // POSIX: a rename of one name of a file to another one of the same file does nothing.
      if (moved !== undefined && moved === replaced) await unlink(source);
      else await rename(source, destination);
      return info;
    });
  const info = await placeIn(layout.files, dirname(destination), move, async () => false);
  await pruneFolders(layout.files, dirname(source));
  return info;
}

async function identify(path: string): Promise<string | undefined> {
  const stats = await orMissing(() => lstat(path, { bigint: true }));
  return stats && `${stats.dev}:${stats.ino}`;
}
