import { randomUUID } from 'node:crypto';
import { link, mkdir, open, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobKey, BlobMissingError, StoreUnavailableError } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { toDiskPath } from './to-disk-path.ts';

/** Others may remove the folders that we make, for as long as they are empty. Nobody wins so often. */
const MOST_ATTEMPTS = 1000;

/**
 * Refuses a folder that is reached through a symbolic link. Links that stand below the root, from a
 * restored backup, an unpacked archive or another program, thus never lead out of it. It is no guard
 * against a program that swaps folders while a call is under way: such a one can write to the root,
 * and could change the files themselves.
 *
 * @throws StoreUnavailableError
 * @throws the error of the file system, such as `ENOENT`
 */
export async function assertRealFolder(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) {
    throw new StoreUnavailableError(
      `There is a symbolic link on the way to ${folder}; the store follows none.`,
    );
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call; its disks keep the order of names and contents themselves.
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Places a file in a folder, which is made where it is missing, and makes both durable. A folder that
 * somebody else removes in the meantime, because it was empty, is made again.
 *
 * @param place does it; fails with `ENOENT` where the folder is gone
 * @param isLost whether what is to be placed has vanished itself, so that nothing helps
 */
export async function placeIn<T>(
  top: string,
  folder: string,
  place: () => Promise<T>,
  isLost: () => Promise<boolean>,
): Promise<T> {
  let placed: T;
  for (let attempt = 1; ; attempt++) {
    try {
      await ensureFolder(top, folder);
      placed = await place();
      break;
    } catch (error) {
      const isGone = diskCodeOf(error) === 'ENOENT';
      if (isGone && attempt < MOST_ATTEMPTS && !(await isLost())) continue;
      // Of two failures, the first one is told.
      await pruneFolders(top, folder).catch(() => {});
      throw error;
    }
  }
  await syncNearest(top, folder);
  return placed;
}

async function ensureFolder(top: string, folder: string): Promise<void> {
  try {
    return await assertRealFolder(folder);
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT' || folder === top) throw error;
  }
  const parent = dirname(folder);
  await ensureFolder(top, parent);
  try {
    await mkdir(folder);
    await syncFolder(parent);
  } catch (error) {
    // Made by somebody else in the meantime, or a link that leads nowhere: `realpath` tells.
    if (diskCodeOf(error) !== 'EEXIST') throw error;
  }
  await assertRealFolder(folder);
}

/** Removes a folder and those above it for as long as they are empty, and makes that durable. */
export async function pruneFolders(top: string, folder: string): Promise<void> {
  let nearest = folder;
  while (nearest !== top && (await removeEmpty(nearest))) nearest = dirname(nearest);
  await syncNearest(top, nearest);
}

/** Whether the folder is gone. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return diskCodeOf(error) === 'ENOENT';
  }
}

/** Places below the root of a store. Both folders stand on one disk, for files are renamed between them. */
export interface Layout {
  readonly root: string;
  /** The visible files, each whole. */
  readonly files: string;
  /** What is being written. */
  readonly tmp: string;
  fileOf(key: BlobKey): string;
  newTmpFile(): string;
  /** Temporary files of uploads that this process has under way. */
  readonly uploads: Set<string>;
}

/** @param root absolute, without symbolic links */
export function createLayout(root: string): Layout {
  const [files, tmp] = [join(root, 'files'), join(root, 'tmp')];
  return {
    root,
    files,
    tmp,
    fileOf: (key) => join(files, toDiskPath(key)),
    uploads: new Set(),
    newTmpFile: () => join(tmp, randomUUID()),
  };
}

/** That there is no file of this key; a store whose folder is gone cannot say so, and is unavailable. */
export async function toMissing({ files }: Layout, key: BlobKey): Promise<BlobMissingError> {
  await assertRealFolder(files);
  return new BlobMissingError(key);
}

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

/** Tries what every change of a file needs: room, the right to write, hard links, one disk. */
export async function checkDisk(layout: Layout): Promise<void> {
  await assertRealFolder(layout.files);
  await assertRealFolder(layout.tmp);
  const [files, tmp] = await Promise.all([stat(layout.files), stat(layout.tmp)]);
  if (files.dev !== tmp.dev) {
    throw new StoreUnavailableError(`${layout.files} and ${layout.tmp} must stand on one disk.`);
  }
  const [probe, second] = [layout.newTmpFile(), layout.newTmpFile()];
  try {
    await writeFile(probe, 'probe', { flag: 'wx', flush: true });
    await link(probe, second);
  } finally {
    await rm(probe, { force: true });
    await rm(second, { force: true });
  }
}

/** The names that matter stand in the folder, or in the nearest one above it that others have left. */
async function syncNearest(top: string, folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT' || folder === top) throw error;
    await syncNearest(top, dirname(folder));
  }
}
