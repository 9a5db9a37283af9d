import { readdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { BlobDamagedError } from './blob-store.ts';
import { STORED_FILE } from './disk.ts';
import { diskCodeOf, makeFolder, orMissing, syncFolder, withDiskErrors } from './disk-files.ts';
import { takeStore } from './owner.ts';
import { openStoredFile } from './stored-file.ts';
import { type CheckedFile, type FileProblem, findDamage } from './verify.ts';

interface FsckOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /** Move damaged and foreign files of a disk to `set-aside/` below the root. Default false: nothing is changed. */
  readonly repair?: boolean;
}

/**
 * Reads every file of a store and reports problems. Without `repair`, servers may use the store meanwhile.
 * @throws StoreUnavailableError if the store cannot be read, or with `repair` if a server uses it
 */
export async function fsck(store: Config['store'], { onProblem, repair = false }: FsckOptions) {
  if (store.driver === 's3') {
    if (repair) throw new TypeError('Only a store on disk can be repaired.');
    const { createS3Store } = await import('./s3.ts');
    const bucket = createS3Store(store);
    return summarize(bucket.scan(), onProblem).finally(bucket.close);
  }
  return withDiskErrors(async () => {
    const root = await realpath(store.root);
    const giveBack = repair ? await takeStore(root, 'alone') : undefined;
    const setAside = repair ? createSetAside(root) : undefined;
    return summarize(scanDisk(root), onProblem, setAside).finally(giveBack);
  });
}

async function summarize(
  files: AsyncIterable<CheckedFile>,
  onProblem: FsckOptions['onProblem'],
  repair?: (path: string) => Promise<void>,
) {
  const report = { files: 0, bytes: 0, problems: 0, unverified: 0 };
  for await (const { path, bytes, problem, isUnverified } of files) {
    if (problem?.kind !== 'foreign') report.files += 1;
    report.bytes += bytes;
    if (isUnverified) report.unverified += 1;
    if (problem === undefined) continue;
    report.problems += 1;
    onProblem({ ...problem, path });
    await repair?.(path);
  }
  return report;
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

async function* scanDisk(root: string, folder = 'files'): AsyncGenerator<CheckedFile> {
  const entries = (await orMissing(readdir(join(root, folder), { withFileTypes: true }))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* scanDisk(root, path);
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

/** Reads a file to its end. */
async function checkFile(root: string, path: string): Promise<CheckedFile> {
  try {
    const { info, read } = await openStoredFile(join(root, path));
    const detail = await findDamage(read());
    return { path, bytes: info.size, problem: detail ? { kind: 'damaged', detail } : undefined };
  } catch (error) {
    // Finding bad sectors is the purpose of the check, and no reason to stop.
    let detail = error instanceof BlobDamagedError ? error.message : undefined;
    if (diskCodeOf(error) === 'EIO') detail = 'The disk cannot read the file (EIO).';
    if (detail === undefined) throw error;
    return { path, bytes: 0, problem: { kind: 'damaged', detail } };
  }
}
