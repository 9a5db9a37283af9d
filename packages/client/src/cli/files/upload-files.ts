import type { CpOptions } from '../commands/add-cp.ts';
import { inParallel } from '../in-parallel.ts';
import { report, toOutcomes } from '../outcome.ts';
import { createProgress } from '../progress.ts';
import { openStorage } from '../settings/open-storage.ts';
import { assertDistinct } from './assert-distinct.ts';
import { openFileList } from './file-list.ts';
import { findLocalFiles } from './find-local-files.ts';
import { toRemotePath } from './remote.ts';

/** Uploads files and folders, a few at a time. What the list names, unchanged, is left out. */
export async function uploadFiles(
  from: readonly string[],
  to: string,
  options: CpOptions,
  signal: AbortSignal,
): Promise<void> {
  const files = await findLocalFiles(from, toRemotePath(to));
  assertDistinct(files.map(({ path }) => path));
  const storage = await openStorage(options);
  const list = options.list === undefined ? undefined : await openFileList(options.list);
  const progress = createProgress(options);
  for (const { file, size } of files) progress.expect(file, size);
  const results = await inParallel(files, async ({ file, path, size, mtime }) => {
    const known = list?.files.get(path);
    const isDone = known?.size === size && known.mtime === mtime;
    const { fileID } = isDone
      ? known
      : await storage.upload(
          path,
          { file },
          { signal, onProgress: ({ loaded }) => progress.set(file, loaded) },
        );
    if (!isDone) await list?.add({ path, fileID, size, mtime });
    progress.set(file, size);
    return {
      result: options.quiet ? undefined : fileID,
      more: { path, fileID, size, skipped: isDone },
    };
  });
  progress.stop();
  report(
    toOutcomes(
      files.map(({ file }) => file),
      results,
    ),
    options,
    'were not uploaded',
  );
}
