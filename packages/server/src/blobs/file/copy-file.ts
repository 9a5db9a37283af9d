import { constants } from 'node:fs';
import { copyFile as copyBytes, link, lstat, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
} from '../blob-store.ts';
import { diskCodeOf, orMissing } from './disk-error.ts';
import {
  assertRealFolder,
  assertStoreExists,
  type Layout,
  placeIn,
  pruneFolders,
} from './folders.ts';
import { withFileLocks } from './lock-files.ts';
import { statFile } from './open-file.ts';

/** Too many links, another disk, or a file with another owner: the bytes can still be copied. */
const UNLINKABLE: readonly unknown[] = ['EMLINK', 'EXDEV', 'EPERM'];

/**
 * Copies a file without copying its bytes: files never change, so the copy is another hard link. A temporary
 * link is created first, so that the version stays available whatever happens to the source.
 */
export async function copyFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  const tmp = layout.newTmpFile();
  try {
    const info = await holdVersion(source, tmp);
    if (info === undefined) {
      await assertStoreExists(layout);
      throw new BlobMissingError(from);
    }
    // link(2) fails if the name exists, atomically and across processes; rename(2) replaces it.
    const name = overwrite ? rename : link;
    const place = () => withFileLocks(layout, [destination], () => name(tmp, destination));
    const isLost = async () => (await statFile(tmp)) === undefined;
    await placeIn(layout.files, dirname(destination), place, isLost);
    return info;
  } catch (error) {
    if (!overwrite && diskCodeOf(error) === 'EEXIST') throw new BlobExistsError(to);
    throw error;
  } finally {
    // Needed even after a rename, which does nothing if both names already belong to the same file
    // (POSIX).
    await rm(tmp, { force: true });
  }
}

async function holdVersion(source: string, tmp: string): Promise<BlobInfo | undefined> {
  for (;;) {
    const info = await orMissing(async () => {
      await assertRealFolder(dirname(source));
      await linkOrCopy(source, tmp);
      return statFile(tmp);
    });
    // Linux also fails to link a file that is replaced during the call.
    if (info !== undefined || (await identify(source)) === undefined) return info;
  }
}

async function linkOrCopy(source: string, tmp: string): Promise<void> {
  try {
    await link(source, tmp);
  } catch (error) {
    if (!UNLINKABLE.includes(diskCodeOf(error))) throw error;
    // Checked first, because this call would follow a symbolic link.
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

/**
 * Moves a file durably. The file is always in one of the two places, even if the process is killed. If a file
 * is moved twice at the same time, only one of the moves succeeds.
 */
export async function moveFile(
  layout: Layout,
  from: BlobKey,
  to: BlobKey,
  { overwrite }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [layout.fileOf(from), layout.fileOf(to)];
  const move = () =>
    withFileLocks(layout, [source, destination], async () => {
      const info = await statFile(source);
      if (info === undefined) {
        await assertStoreExists(layout);
        throw new BlobMissingError(from);
      }
      const [moved, replaced] = await Promise.all([identify(source), identify(destination)]);
      if (replaced !== undefined && !overwrite) throw new BlobExistsError(to);
      // POSIX: renaming one name of a file to another name of the same file does nothing.
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
