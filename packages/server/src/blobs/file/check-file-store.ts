import { lstat, mkdir, readdir, realpath, rename, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { crc32 } from 'node:zlib';
import { BlobDamagedError, StoreUnavailableError } from '../blob-store.ts';
import { diskCodeOf, orMissing, withStoreErrors } from './disk-error.ts';
import { createLayout, type Layout, pruneFolders, syncFolder } from './folders.ts';
import { withFileLocks } from './lock-files.ts';
import { type OpenedFile, openFile, toOpenBlob } from './open-file.ts';
import { findLitter, litterTime } from './sweep-files.ts';
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
  /** Path relative to the root. */
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
  /** Temporary files older than this are litter. Default: an hour ago. */
  readonly litterOlderThan?: Date;
}

interface FileStoreReport {
  readonly files: number;
  /** Total size of the content, in bytes. Copies count too, although they take no space. */
  readonly bytes: number;
  readonly problems: number;
}

/**
 * Reads every file of a store on disk and reports problems. Safe to run while servers use the store.
 *
 * @throws StoreUnavailableError if the disk cannot be read
 *
 * @example
 * const { problems } = await checkFileStore('./data', { onProblem: console.log });
 */
export function checkFileStore(
  root: string,
  { onProblem, repair = false, litterOlderThan = litterTime() }: CheckFileStoreOptions,
): Promise<FileStoreReport> {
  return withStoreErrors(async () => {
    const layout = createLayout(await realpath(root));
    let report: FileStoreReport = { files: 0, bytes: 0, problems: 0 };
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
    await mkdir(dirname(aside), { recursive: true });
    return (await orMissing(() => rename(path, aside).then(() => true))) ?? false;
  });
  if (!isMoved) return;
  await syncFolder(dirname(aside));
  await pruneFolders(layout.files, dirname(path));
}

async function identifyVersion(path: string): Promise<string | undefined> {
  const stats = await orMissing(() => lstat(path, { bigint: true }));
  return stats && `${stats.dev}:${stats.ino}:${stats.mtimeNs}`;
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
  let opened: OpenedFile | undefined;
  try {
    opened = await openFile(path);
  } catch (error) {
    const isBad = error instanceof BlobDamagedError || error instanceof StoreUnavailableError;
    if (!isBad) throw error;
    return { bytes: 0, problem: { kind: 'damaged', detail: error.message } };
  }
  if (opened === undefined) return undefined;
  const bytes = opened.info.size;
  let sum = 0;
  try {
    for await (const chunk of toOpenBlob(opened).read()) sum = crc32(chunk as Buffer, sum);
  } catch (error) {
    // Finding bad sectors is the purpose of the check, and no reason to stop.
    if (diskCodeOf(error) !== 'EIO') throw error;
    return {
      bytes: 0,
      problem: { kind: 'damaged', detail: 'The disk cannot read the file (EIO).' },
    };
  }
  if (sum === opened.crc32) return { bytes };
  const detail = `The CRC-32 of the content is ${sum} instead of ${opened.crc32}.`;
  return { bytes, problem: { kind: 'damaged', detail } };
}

interface Found {
  readonly path: string;
  readonly kind: 'file' | 'empty-folder' | 'other';
}

/** Lists everything below a folder. Symbolic links are `other` and not followed. */
async function* walkFolder(folder: string): AsyncGenerator<Found> {
  // The folder is missing if it was removed with its last file in the meantime.
  const entries = await orMissing(() => readdir(folder, { withFileTypes: true }));
  for (const entry of entries ?? []) {
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
