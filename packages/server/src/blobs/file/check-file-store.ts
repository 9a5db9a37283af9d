import { lstat, readdir, realpath, rename, unlink, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { BlobDamagedError, StoreUnavailableError } from '../blob-store.ts';
import { findDamage } from '../verify.ts';
import { diskCodeOf, orMissing, withStoreErrors } from './disk-error.ts';
import { createLayout, type Layout, makeFolder, pruneFolders, syncFolder } from './folders.ts';
import { identifyVersion, withFileLocks } from './lock-files.ts';
import { openFile } from './open-file.ts';
import { toBlobKey } from './to-disk-path.ts';

/**
 * A problem in a store: a file or folder that does not belong there, or a file that differs from what was
 * written.
 */
export interface FileProblem {
  /**
   * - `damaged`: truncated, without a complete trailer, or with other bytes than when it was written
   * - `foreign`: not created by the store, such as a name that it does not use, a symbolic link or a device
   * - `empty-folder`: left by a process that was interrupted
   * - `litter`: left by a failed upload
   */
  readonly kind: 'damaged' | 'foreign' | 'empty-folder' | 'litter';
  readonly path: string;
  readonly detail: string;
}

interface CheckFileStoreOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /**
   * Remove litter and empty folders, and move damaged and foreign files to `set-aside/` below the root,
   * without deleting any. Default false: nothing is changed.
   */
  readonly repair?: boolean;
  readonly litterOlderThan?: Date;
}

/**
 * Reads every file of a store on disk and reports problems. Safe to run while servers use the store.
 * @throws StoreUnavailableError if the disk cannot be read
 */
export function checkFileStore(
  root: string,
  { onProblem, repair = false, litterOlderThan = litterTime() }: CheckFileStoreOptions,
) {
  return withStoreErrors(async () => {
    const layout = createLayout(await realpath(root));
    // Copies count too, although they take no space.
    let report = { files: 0, bytes: 0, problems: 0 };
    const tell = async (kind: FileProblem['kind'], path: string, detail: string) => {
      report = { ...report, problems: report.problems + 1 };
      onProblem({ kind, path: relative(layout.root, path), detail });
      if (repair) await repairProblem(layout, kind, path);
    };

    for await (const { path, kind } of walkFolder(layout.files)) {
      if (kind === 'empty-folder') await tell(kind, path, 'The folder has no files.');
      else if (kind === 'other')
        await tell('foreign', path, 'The store creates only regular files.');
      else {
        const result = await checkFile(layout, path);
        if (result === undefined) continue;
        const { bytes, problem } = result;
        report = { ...report, files: report.files + 1, bytes: report.bytes + bytes };
        if (problem) await tell(problem.kind, path, problem.detail);
      }
    }
    for (const path of await findLitter(layout, litterOlderThan)) {
      await tell('litter', path, 'Left by a failed upload.');
    }
    return report;
  });
}

async function repairProblem(
  layout: Layout,
  kind: FileProblem['kind'],
  path: string,
): Promise<void> {
  if (kind === 'litter') return unlink(path);
  if (kind === 'empty-folder') return pruneFolders(layout.files, path);
  await setAside(layout, path);
}

/**
 * Moves a file that does not belong in the store to `set-aside/` below the root. A file that a server has
 * written since it was checked is left in place (D28).
 */
async function setAside(layout: Layout, path: string): Promise<void> {
  const version = await identifyVersion(path);
  const result = await checkFile(layout, path);
  if (result !== undefined && result.problem === undefined) return;
  const aside = join(layout.root, 'set-aside', `${Date.now()}`, relative(layout.files, path));
  const isMoved = await withFileLocks(layout, [path], async () => {
    if (version === undefined || (await identifyVersion(path)) !== version) return false;
    await makeFolder(dirname(aside));
    return (await orMissing(() => rename(path, aside).then(() => true))) ?? false;
  });
  if (!isMoved) return;
  await syncFolder(dirname(aside));
  await pruneFolders(layout.files, dirname(path));
}

interface CheckResult {
  readonly bytes: number;
  readonly problem?: { readonly kind: 'foreign' | 'damaged'; readonly detail: string };
}

/** Reads a file to its end. Returns undefined if it was deleted in the meantime. */
async function checkFile({ files }: Layout, path: string): Promise<CheckResult | undefined> {
  if (toBlobKey(relative(files, path)) === undefined) {
    const detail = 'The store never creates a file with this name.';
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

interface Found {
  readonly path: string;
  readonly kind: 'file' | 'empty-folder' | 'other';
}

/** Lists everything below a folder, in the order of names. Symbolic links are `other` and not followed. */
async function* walkFolder(folder: string): AsyncGenerator<Found> {
  // The folder is missing if it was removed with its last file in the meantime.
  const entries = await orMissing(() => readdir(folder, { withFileTypes: true }));
  for (const entry of entries?.sort((one, other) => (one.name < other.name ? -1 : 1)) ?? []) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      yield { path, kind: entry.isFile() ? 'file' : 'other' };
      continue;
    }
    let isEmpty = true;
    for await (const found of walkFolder(path)) {
      isEmpty = false;
      yield found;
    }
    if (isEmpty) yield { path, kind: 'empty-folder' };
  }
}

/**
 * Returns the time before which temporary files count as litter: every live server has swept the folder
 * several times since then.
 */
function litterTime(): Date {
  return new Date(Date.now() - 3_600_000);
}

async function findLitter({ tmp }: Layout, olderThan: Date): Promise<string[]> {
  const litter: string[] = [];
  for (const entry of await readdir(tmp, { withFileTypes: true })) {
    const path = join(tmp, entry.name);
    if (!entry.isDirectory() && (await isOlder(path, olderThan))) litter.push(path);
  }
  return litter;
}

/**
 * Removes litter, and returns the number of removed files. Before that, touches the files that this process
 * is uploading, so that other processes do not remove them: a slow upload may write nothing for a long time.
 */
export async function sweepFiles(layout: Layout, olderThan = litterTime()): Promise<number> {
  const now = new Date();
  for (const path of layout.uploads) await orMissing(() => utimes(path, now, now));
  let count = 0;
  for (const path of await findLitter(layout, olderThan)) {
    if (layout.uploads.has(path)) continue;
    if (await orMissing(() => unlink(path).then(() => true))) count++;
  }
  return count;
}

async function isOlder(path: string, date: Date): Promise<boolean> {
  const stats = await orMissing(() => lstat(path));
  // ctime changes on every write, and also when an old file gets a new name.
  return stats !== undefined && stats.ctimeMs < date.getTime();
}
