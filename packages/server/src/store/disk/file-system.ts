import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { StoreUnavailableError } from '@berth/storage';

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
 * Creates a folder and its missing parents durably. Does not use `mkdir` with `recursive`, which never
 * ends if the parent exists but reports `ENOENT` for every new folder, as `/proc` does.
 * @throws a file system error
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  await mkdir(folder).catch(async (error) => {
    // Another call may have created it in the meantime.
    if (!(await isFolder(folder))) throw error;
  });
  await syncFolder(parent).catch((error) => {
    // A folder may be writable but not readable.
    if (diskCodeOf(error) !== 'EACCES') throw error;
  });
}

export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Returns the code of a file system error, such as `ENOENT`, or `undefined` for any other error. */
export function diskCodeOf(error: unknown): string | undefined {
  const { errno, code } = error as NodeJS.ErrnoException;
  return errno === undefined ? undefined : code;
}

export async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Converts errors of the file system to one of the store, which a caller may retry. */
export async function withDiskErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { errno, code } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    const message = `The disk cannot be used: ${getSystemErrorMessage(errno)} (${code}).`;
    throw new StoreUnavailableError(message, { cause: error });
  }
}
