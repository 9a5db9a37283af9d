import { lstat, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { BlobDamagedError, StoreUnavailableError } from './blob-store.ts';
import { diskCodeOf, orMissing, withStoreErrors } from './disk-error.ts';
import { createLayout, type Layout, makeFolder, syncFolder } from './layout.ts';
import { openFile } from './open-file.ts';
import { takeStore } from './owner.ts';
import { findDamage } from './verify.ts';

/** Path of a file below `files/`. */
const FILE = /^[A-Za-z0-9-]+\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/;

/** A file that does not belong in a store, or differs from what was written. */
export interface FileProblem {
  /**
   * - `damaged`: truncated, without a complete trailer, or with other bytes than when it was written
   * - `foreign`: not created by the store, such as a name that it does not use, a symbolic link or a device
   */
  readonly kind: 'damaged' | 'foreign';
  readonly path: string;
  readonly detail: string;
}

interface CheckFileStoreOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /** Move damaged and foreign files to `set-aside/` below the root. Default false: nothing is changed. */
  readonly repair?: boolean;
}

/**
 * Reads every file of a store on disk and reports problems. Without `repair`, a server may use the store meanwhile.
 * @throws StoreUnavailableError if the disk cannot be read, or with `repair` if a server uses the store
 */
export function checkFileStore(root: string, { onProblem, repair = false }: CheckFileStoreOptions) {
  return withStoreErrors(async () => {
    const layout = createLayout(await realpath(root));
    const giveBack = repair ? await takeStore(layout.root) : undefined;
    const report = { files: 0, bytes: 0, problems: 0 };
    try {
      for await (const { path, isFile } of walkFolder(layout.files)) {
        const result = await checkFile(layout, path, isFile);
        if (result === undefined) continue;
        const { bytes, problem } = result;
        if (isFile) report.files += 1;
        report.bytes += bytes;
        if (problem === undefined) continue;
        report.problems += 1;
        onProblem({ ...problem, path: relative(layout.root, path) });
        if (repair) await setAside(layout, path);
      }
      return report;
    } finally {
      await giveBack?.();
    }
  });
}

async function setAside(layout: Layout, path: string): Promise<void> {
  const aside = join(layout.root, 'set-aside', `${Date.now()}`, relative(layout.files, path));
  await makeFolder(dirname(aside));
  await rename(path, aside);
  await syncFolder(dirname(aside));
  await syncFolder(dirname(path));
}

interface CheckResult {
  readonly bytes: number;
  readonly problem?: Omit<FileProblem, 'path'>;
}

/** Reads a file to its end. Returns undefined if it was deleted in the meantime. */
async function checkFile(
  { files }: Layout,
  path: string,
  isFile: boolean,
): Promise<CheckResult | undefined> {
  const isOurs = isFile && FILE.test(relative(files, path).split(sep).join('/'));
  if (!isOurs) {
    const detail = 'The store never creates such a file.';
    return { bytes: 0, problem: { kind: 'foreign', detail } };
  }
  try {
    const opened = await openFile(path);
    if (opened === undefined) return undefined;
    const detail = await findDamage(opened.read());
    return { bytes: opened.info.size, ...(detail && { problem: { kind: 'damaged', detail } }) };
  } catch (error) {
    // Finding bad sectors is the purpose of the check, and no reason to stop.
    const isBad = error instanceof BlobDamagedError || error instanceof StoreUnavailableError;
    let detail = isBad ? error.message : undefined;
    if (diskCodeOf(error) === 'EIO') detail = 'The disk cannot read the file (EIO).';
    if (detail === undefined) throw error;
    return { bytes: 0, problem: { kind: 'damaged', detail } };
  }
}

/** Lists everything below a folder but folders. Symbolic links are not followed. */
async function* walkFolder(
  folder: string,
): AsyncGenerator<{ readonly path: string; readonly isFile: boolean }> {
  const entries = (await orMissing(() => readdir(folder, { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFolder(path);
    else yield { path, isFile: entry.isFile() };
  }
}

/** Removes what uploads of killed processes have left, and returns the number of removed files. */
export async function sweepFiles(
  { tmp, uploads }: Layout,
  olderThan = new Date(),
): Promise<number> {
  let count = 0;
  for (const entry of await readdir(tmp, { withFileTypes: true })) {
    const path = join(tmp, entry.name);
    if (entry.isDirectory() || uploads.has(path) || !(await isOlder(path, olderThan))) continue;
    if (await orMissing(() => unlink(path).then(() => true))) count++;
  }
  return count;
}

async function isOlder(path: string, date: Date): Promise<boolean> {
  const stats = await orMissing(() => lstat(path));
  // ctime changes on every write, and also when an old file gets a new name.
  return stats !== undefined && stats.ctimeMs < date.getTime();
}
