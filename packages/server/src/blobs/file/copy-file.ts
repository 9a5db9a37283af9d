import { constants } from 'node:fs';
import { copyFile as copyBytes, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlobExistsError } from '../blob-errors.ts';
import type { BlobInfo, BlobKey, CopyOptions } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { assertRealFolder, placeIn } from './folders.ts';
import { type Layout, toMissing } from './layout.ts';
import { withFileLocks } from './lock-files.ts';
import { statFile } from './stat-file.ts';

/** Too many names of one file, another disk, or a file of another owner: it can be copied all the same. */
const UNLINKABLE: readonly unknown[] = ['EMLINK', 'EXDEV', 'EPERM'];

/**
 * Copies without moving a byte: nobody ever changes a file, so a copy is one more name of it. A
 * temporary name holds on to one version first, whatever becomes of the source.
 */
export async function copyFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite, signal }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  signal?.throwIfAborted();
  const tmp = layout.newTmpFile();
  try {
    const info = await holdVersion(source, tmp);
    if (info === undefined) throw await toMissing(layout, from);
    signal?.throwIfAborted();
    // link(2) refuses a name that is taken, atomically and between processes; rename(2) replaces it.
    const name = overwrite ? rename : link;
    const place = () => withFileLocks(layout, [destination], () => name(tmp, destination));
    const isLost = async () => (await statFile(tmp)) === undefined;
    await placeIn(layout.files, dirname(destination), place, isLost);
    return info;
  } catch (error) {
    if (!overwrite && diskCodeOf(error) === 'EEXIST') throw new BlobExistsError(to);
    throw error;
  } finally {
    // Also after a rename: where both are names of one file already, it does nothing (POSIX).
    await rm(tmp, { force: true });
  }
}

async function holdVersion(source: string, tmp: string): Promise<BlobInfo | undefined> {
  try {
    await assertRealFolder(dirname(source));
    await linkOrCopy(source, tmp);
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return statFile(tmp);
}

async function linkOrCopy(source: string, tmp: string): Promise<void> {
  try {
    await link(source, tmp);
  } catch (error) {
    if (!UNLINKABLE.includes(diskCodeOf(error))) throw error;
    // Looked at first, for this call would follow a symbolic link.
    await statFile(source);
    await copyBytes(source, tmp, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await syncFile(tmp);
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
