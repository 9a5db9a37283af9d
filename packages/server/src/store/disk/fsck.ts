import { readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { BlobDamagedError } from '@berth/storage';
import { STORE_FOLDERS, STORED_FILE } from './disk-store.ts';
import { diskCodeOf, makeFolder, orMissing, syncFolder, withDiskErrors } from './file-system.ts';
import { claimStore } from './owners.ts';
import { openStoredFile } from './stored-file.ts';

/** A file that does not belong in a store, or differs from what was written. */
export interface FileProblem {
  /**
   * - `damaged`: truncated, without a complete trailer, or with other bytes than when it was written
   * - `foreign`: not created by the store, such as a name that it does not use, a symbolic link or a device
   */
  readonly kind: 'damaged' | 'foreign';
  /** Relative to the root. */
  readonly path: string;
  readonly detail: string;
}

interface CheckedFile {
  readonly path: string;
  readonly bytes: number;
  readonly problem?: Omit<FileProblem, 'path'> | undefined;
}

interface FsckOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /** Move damaged and foreign files to `set-aside/` below the root. Default false: nothing is changed. */
  readonly repair?: boolean;
}

/**
 * Reads every file of a store on disk and reports problems. Without `repair`, servers may use the store meanwhile.
 * @throws StoreUnavailableError if the folder is not that of a store or cannot be read, or with `repair` if a server uses it
 */
export function fsck(folder: string, { onProblem, repair = false }: FsckOptions) {
  return withDiskErrors(async () => {
    const root = await realpath(folder);
    // In another folder, every file would be foreign.
    for (const name of STORE_FOLDERS) await readdir(join(root, name));
    const release = repair ? await claimStore(root, 'alone') : undefined;
    const setAside = repair ? createSetAside(root) : undefined;
    const report = { files: 0, bytes: 0, problems: 0 };
    try {
      for await (const { path, bytes, problem } of scan(root)) {
        if (problem?.kind !== 'foreign') report.files += 1;
        report.bytes += bytes;
        if (problem === undefined) continue;
        report.problems += 1;
        onProblem({ ...problem, path });
        await setAside?.(path);
      }
      return report;
    } finally {
      await release?.();
    }
  });
}

function createSetAside(root: string) {
  const folder = join(root, 'set-aside', `${Date.now()}`);
  return async (path: string): Promise<void> => {
    const [from, to] = [join(root, path), join(folder, relative('files', path))];
    await makeFolder(dirname(to));
    await rename(from, to);
    await syncFolder(dirname(to));
    await syncFolder(dirname(from));
  };
}

async function* scan(root: string, folder = 'files'): AsyncGenerator<CheckedFile> {
  const entries = (await orMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* scan(root, path);
    } else if (entry.isFile() && STORED_FILE.test(path.split(sep).join('/'))) {
      const file = await orMissing(checkFile(root, path));
      // Otherwise, it was deleted in the meantime.
      if (file) yield file;
    } else {
      const detail = 'The store never creates such a file.';
      yield { path, bytes: 0, problem: { kind: 'foreign', detail } };
    }
  }
}

async function checkFile(root: string, path: string): Promise<CheckedFile> {
  try {
    const { info, read } = await openStoredFile(join(root, path));
    for await (const _ of read());
    return { path, bytes: info.size };
  } catch (error) {
    // Finding bad sectors is the purpose of the check, and no reason to stop.
    let detail = error instanceof BlobDamagedError ? error.message : undefined;
    if (diskCodeOf(error) === 'EIO') detail = 'The disk cannot read the file (EIO).';
    if (detail === undefined) throw error;
    return { path, bytes: 0, problem: { kind: 'damaged', detail } };
  }
}
