import { lstat, readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { BlobDamagedError } from '@berth/storage';
import { STORE_FOLDERS, STORED_FILE } from './disk-store.ts';
import { diskCodeOf, ifExists, makeFolder, syncFolder, withDiskErrors } from './file-system.ts';
import { claimStore } from './owners.ts';
import { openStoredFile } from './stored-file.ts';

export interface FileProblem {
  /**
   * - `damaged`: truncated, without a complete trailer, or with bytes that have changed
   * - `foreign`: not created by the store, such as a name that it does not use, a symbolic link or a device
   */
  readonly kind: 'damaged' | 'foreign';
  readonly path: string;
  readonly detail: string;
}

interface FsckOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /** Move damaged and foreign files to `set-aside/` below the root. Default false: nothing is changed. */
  readonly repair?: boolean;
  /** Called if `repair` waits for some seconds to find out whether a server has exited. */
  readonly onWait?: () => void;
}

/**
 * Reads every file of a store on disk and reports problems. Servers may be using the store, except with `repair`.
 * @throws StoreUnavailableError if the folder is not a store or cannot be read, or with `repair`, if a server uses it
 */
export function fsck(folder: string, { onProblem, repair = false, onWait }: FsckOptions) {
  return withDiskErrors(async () => {
    const root = await realpath(folder);
    // In another folder, every file would be foreign.
    for (const name of STORE_FOLDERS) await readdir(join(root, name));
    const claim = repair
      ? await claimStore(root, { ownership: 'alone', advice: 'stop it', onWait })
      : undefined;
    const setAside = join(root, 'set-aside', `${Date.now()}`);
    const report = { files: 0, bytes: 0, problems: 0 };
    try {
      for await (const path of listFiles(root, 'files')) {
        const found = await ifExists(checkFile(root, path));
        // Otherwise, it was deleted in the meantime.
        if (found === undefined) continue;
        if (found.kind !== 'foreign') report.files += 1;
        if (found.kind === 'intact') {
          report.bytes += found.bytes;
          continue;
        }
        report.problems += 1;
        onProblem({ ...found, path });
        if (claim === undefined) continue;
        await claim.assertHeld();
        await moveDurably(join(root, path), join(setAside, relative('files', path)));
      }
      return report;
    } finally {
      await claim?.release();
    }
  });
}

async function moveDurably(from: string, to: string): Promise<void> {
  await makeFolder(dirname(to));
  await rename(from, to);
  await syncFolder(dirname(to));
  await syncFolder(dirname(from));
}

/** Yields the paths of everything but folders. */
async function* listFiles(root: string, folder: string): AsyncGenerator<string> {
  const entries = (await ifExists(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* listFiles(root, path);
    else yield path;
  }
}

type CheckResult = { kind: 'intact'; bytes: number } | Omit<FileProblem, 'path'>;

async function checkFile(root: string, path: string): Promise<CheckResult> {
  const file = join(root, path);
  if (!STORED_FILE.test(path.split(sep).join('/')) || !(await lstat(file)).isFile()) {
    return { kind: 'foreign', detail: 'The store never creates such a file.' };
  }
  try {
    const { info, read } = await openStoredFile(file, 'The file');
    for await (const _ of read());
    return { kind: 'intact', bytes: info.size };
  } catch (error) {
    if (error instanceof BlobDamagedError) return { kind: 'damaged', detail: error.message };
    if (diskCodeOf((error as Error).cause ?? error) !== 'EIO') throw error;
    // Finding bad sectors is the purpose of the check, and no reason to stop.
    return { kind: 'damaged', detail: 'The disk cannot read the file (EIO).' };
  }
}
