import { utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Progress as DownloadProgress } from '../../internal/options.ts';
import type { CpOptions } from '../commands/add-cp.ts';
import { inParallel } from '../in-parallel.ts';
import { report, toOutcomes } from '../outcome.ts';
import { createProgress } from '../progress.ts';
import { openStorage } from '../settings/open-storage.ts';
import { writeOut } from '../write-out.ts';
import { assertDistinct } from './assert-distinct.ts';
import { findRemoteFiles, isUnchanged } from './find-remote-files.ts';
import { makeFolder } from './make-folder.ts';
import { toFileId } from './to-file-id.ts';

/** Downloads files, a few at a time; to the standard output one after the other. */
export async function downloadFiles(
  from: readonly string[],
  to: string,
  options: CpOptions,
  signal: AbortSignal,
): Promise<void> {
  const files = await findRemoteFiles(from, to, options.list);
  if (to !== '-') assertDistinct(files.map(({ file }) => file));
  const storage = await openStorage(options);
  if (to === '-') {
    for (const { name } of files) {
      const fileID = await toFileId(storage, name, signal);
      const { body } = await storage.download(fileID, { signal });
      if (body) await writeOut(body, signal);
    }
    return;
  }
  const progress = createProgress(options);
  for (const { file, size = 0 } of files) progress.expect(file, size);
  const results = await inParallel(files, async (wanted) => {
    const { name, file, mtime } = wanted;
    const skipped = await isUnchanged(wanted);
    if (!skipped) {
      const fileID = await toFileId(storage, name, signal);
      await makeFolder(dirname(file));
      const onProgress = ({ loaded, total }: DownloadProgress) => {
        if (total !== undefined) progress.expect(file, total);
        progress.set(file, loaded);
      };
      await storage.downloadToFile(fileID, file, { signal, onProgress });
      if (mtime !== undefined) await utimes(file, new Date(), new Date(mtime));
    }
    return { result: options.quiet ? undefined : file, more: { to: file, skipped } };
  });
  progress.stop();
  report(
    toOutcomes(
      files.map(({ name }) => name),
      results,
    ),
    options,
    'were not downloaded',
  );
}
