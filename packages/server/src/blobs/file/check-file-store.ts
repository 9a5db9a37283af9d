import { realpath, unlink } from 'node:fs/promises';
import { relative } from 'node:path';
import { withStoreErrors } from './disk-error.ts';
import { pruneFolders } from './folders.ts';
import { judgeFile } from './judge-file.ts';
import { createLayout, type Layout } from './layout.ts';
import { setAside } from './set-aside.ts';
import { findLitter, litterTime } from './sweep-files.ts';
import { walkFolder } from './walk-folder.ts';

/** Something in a store that does not belong there, or is not as it was written. */
export interface FileProblem {
  /**
   * - `damaged`: cut off, without a whole trailer, or of another MD5 than when it was written
   * - `foreign`: put there by somebody else: no name of the store, a symbolic link, a device
   * - `empty-folder`: left by a process that ended in the midst
   * - `litter`: left by a broken upload
   */
  readonly kind: 'damaged' | 'foreign' | 'empty-folder' | 'litter';
  /** Relative to the root. */
  readonly path: string;
  readonly detail: string;
}

export interface CheckFileStoreOptions {
  readonly onProblem: (problem: FileProblem) => void;
  /** Called after each file with all that was read so far. */
  readonly onProgress?: (progress: FileStoreReport) => void;
  /**
   * Litter and empty folders are removed; what is damaged or foreign is moved to `set-aside/` below the
   * root, nothing of it deleted. Default false: nothing is changed.
   */
  readonly repair?: boolean;
  /** Temporary files that nobody has touched since are litter. Default: an hour ago. */
  readonly litterOlderThan?: Date;
}

export interface FileStoreReport {
  readonly files: number;
  /** Bytes of content. A copy counts once more, though it takes no room. */
  readonly bytes: number;
  readonly problems: number;
}

/**
 * Reads every file of a store on disk and reports what is wrong. Servers may be at work on it.
 *
 * @throws StoreUnavailableError where the disk cannot be read
 *
 * @example
 * const { problems } = await checkFileStore('./data', { onProblem: console.log });
 */
export function checkFileStore(
  root: string,
  { onProblem, onProgress, repair = false, litterOlderThan }: CheckFileStoreOptions,
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
      if (kind === 'empty-folder') await tell(kind, path, 'No file is in this folder.');
      else if (kind === 'other') await tell('foreign', path, 'The store makes regular files only.');
      else {
        const judgement = await judgeFile(layout, path);
        if (judgement === undefined) continue;
        const { bytes, problem } = judgement;
        report = { ...report, files: report.files + 1, bytes: report.bytes + bytes };
        if (problem) await tell(problem.kind, path, problem.detail);
        onProgress?.(report);
      }
    }
    for (const path of await findLitter(layout, litterOlderThan ?? litterTime())) {
      await tell('litter', path, 'A broken upload has left it.');
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
