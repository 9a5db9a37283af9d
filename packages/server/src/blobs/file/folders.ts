import { randomUUID } from 'node:crypto';
import { link, mkdir, open, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BlobKey, StoreUnavailableError } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { toDiskPath } from './to-disk-path.ts';

/**
 * Others may remove the folders that we create while they are empty. Losing this race so often is practically
 * impossible.
 */
const MAX_ATTEMPTS = 1000;

/**
 * Rejects a folder that is reached through a symbolic link, so that links below the root, from a restored backup or
 * another program, never lead out of it. A program that swaps folders during a call could change the files themselves.
 * @throws StoreUnavailableError, or a file system error such as `ENOENT`
 */
export async function assertRealFolder(folder: string): Promise<void> {
  if ((await realpath(folder)) !== folder) {
    throw new StoreUnavailableError(
      `The path to ${folder} contains a symbolic link; links are not followed.`,
    );
  }
}

export async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call; its disks preserve the order of names and contents.
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Places a file in a folder, which is created if missing, and makes both durable. If another process removes
 * the empty folder in the meantime, it is created again.
 * @param place places the file; must fail with `ENOENT` if the folder no longer exists
 * @param isLost whether the source itself no longer exists, so that retrying is pointless
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
      if (isGone && attempt < MAX_ATTEMPTS && !(await isLost())) continue;
      // Of two errors, the first one is reported.
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
    // Created by another process in the meantime, or a dangling link: `realpath` throws for the latter.
    if (diskCodeOf(error) !== 'EEXIST') throw error;
  }
  await assertRealFolder(folder);
}

/** Removes a folder and its parents durably, as long as they are empty. */
export async function pruneFolders(top: string, folder: string): Promise<void> {
  let nearest = folder;
  while (nearest !== top && (await removeEmpty(nearest))) nearest = dirname(nearest);
  await syncNearest(top, nearest);
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return diskCodeOf(error) === 'ENOENT';
  }
}

export type Layout = ReturnType<typeof createLayout>;

/**
 * Creates the layout of a store. Both folders must be on one disk, because files are renamed between them.
 * @param root absolute, without symbolic links
 */
export function createLayout(root: string) {
  const [files, tmp] = [join(root, 'files'), join(root, 'tmp')];
  return {
    root,
    /** The visible files, each complete. */
    files,
    tmp,
    fileOf: (key: BlobKey) => join(files, toDiskPath(key)),
    /** Temporary files of uploads in progress in this process. */
    uploads: new Set<string>(),
    newTmpFile: () => join(tmp, randomUUID()),
  };
}

/**
 * Checks that the store itself exists. If its disk is not mounted, for example, all files seem to be missing.
 * @throws StoreUnavailableError, or a file system error such as `ENOENT`
 */
export function assertStoreExists({ files }: Layout): Promise<void> {
  return assertRealFolder(files);
}

/**
 * Creates a folder and its missing parents durably. Does not use `mkdir` with `recursive`, which never
 * ends if the parent exists but reports `ENOENT` for every new folder, as `/proc` does.
 * @throws a file system error
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  try {
    await mkdir(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!(await isFolder(folder))) throw error;
  }
  try {
    await syncFolder(parent);
  } catch (error) {
    // A folder may be writable but not readable.
    if (diskCodeOf(error) !== 'EACCES') throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/**
 * Checks everything that changing a file requires, by trying it: space, write permission, hard links and a
 * single disk.
 */
export async function checkDisk(layout: Layout): Promise<void> {
  await assertRealFolder(layout.files);
  await assertRealFolder(layout.tmp);
  const [files, tmp] = await Promise.all([stat(layout.files), stat(layout.tmp)]);
  if (files.dev !== tmp.dev) {
    throw new StoreUnavailableError(`${layout.files} and ${layout.tmp} must be on the same disk.`);
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

/** Syncs the folder or, if another call has removed it, its nearest parent that still exists. */
async function syncNearest(top: string, folder: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT' || folder === top) throw error;
    await syncNearest(top, dirname(folder));
  }
}
