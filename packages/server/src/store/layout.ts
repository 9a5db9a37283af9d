import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertFilePath } from '@berth/storage';
import { type BlobKey, StoreUnavailableError } from './blob-store.ts';
import { diskCodeOf } from './disk-error.ts';

/** Environments are host name labels (D12), so they are safe names for folders. */
const LABEL = /^[A-Za-z0-9-]+$/;

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
    /**
     * Returns the path of a key's file: `<environment>/<ab>/<SHA-256 of the path>`. Any disk accepts such a name,
     * whatever characters the key has, and no two keys share one.
     */
    fileOf({ env, path }: BlobKey): string {
      if (!LABEL.test(env)) throw new TypeError(`"${env}" is not a valid environment name.`);
      assertFilePath(path);
      const hash = createHash('sha256').update(path).digest('hex');
      return join(files, env, hash.slice(0, 2), hash);
    },
    /** Folders below `files` that exist, or are being created. */
    folders: new Map<string, Promise<void>>(),
    /** Temporary files that are being written. */
    uploads: new Set<string>(),
    newTmpFile: () => join(tmp, randomUUID()),
  };
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

/** Places a file in a folder below `files`, which is created if missing, and makes both durable. */
export async function placeIn<T>(
  layout: Layout,
  folder: string,
  place: () => Promise<T>,
): Promise<T> {
  await ensureFolder(layout, folder);
  let placed: T;
  try {
    placed = await place();
  } catch (error) {
    if (diskCodeOf(error) !== 'ENOENT') throw error;
    // Another program has removed the folder, or the disk is not mounted.
    layout.folders.clear();
    await ensureFolder(layout, folder);
    placed = await place();
  }
  await syncFolder(folder);
  return placed;
}

/** Creates a folder durably, once: no file in it is reported as stored before the folder is durable, too. */
function ensureFolder(layout: Layout, folder: string): Promise<void> {
  const known = layout.folders.get(folder) ?? createFolder(layout, folder);
  layout.folders.set(folder, known);
  known.catch(() => layout.folders.delete(folder));
  return known;
}

async function createFolder(layout: Layout, folder: string): Promise<void> {
  if (folder === layout.files) return assertStoreExists(layout);
  const parent = dirname(folder);
  await ensureFolder(layout, parent);
  try {
    await mkdir(folder);
  } catch (error) {
    if (diskCodeOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(parent);
}

/**
 * Checks that the store itself exists. If its disk is not mounted, for example, all files seem to be missing.
 * @throws StoreUnavailableError
 */
export async function assertStoreExists({ files }: Layout): Promise<void> {
  if (!(await isFolder(files))) {
    throw new StoreUnavailableError('The store folder no longer exists. (ENOENT)');
  }
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
    // Another call may have created it in the meantime.
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

/** Checks everything that changing a file requires, by trying it: space, write permission and a single disk. */
export async function checkDisk(layout: Layout): Promise<void> {
  const [files, tmp] = await Promise.all([stat(layout.files), stat(layout.tmp)]);
  if (files.dev !== tmp.dev) {
    throw new StoreUnavailableError(`${layout.files} and ${layout.tmp} must be on the same disk.`);
  }
  const probe = layout.newTmpFile();
  layout.uploads.add(probe);
  try {
    await writeFile(probe, 'probe', { flag: 'wx', flush: true });
  } finally {
    await rm(probe, { force: true });
    layout.uploads.delete(probe);
  }
}
