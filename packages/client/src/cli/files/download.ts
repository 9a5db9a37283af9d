import { mkdir, stat } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import type { Progress as DownloadProgress } from '../../internal/options.ts';
import { openStorage } from '../clients.ts';
import { type CommonOptions, report, writeOut } from '../output.ts';
import { createProgress } from '../progress.ts';
import { assertDistinct, inParallel, isFileId, toFileId, toFilePath } from './names.ts';

/** Downloads files, a few at a time, or prints them one after the other if the target is `-`. */
export async function downloadFiles(
  from: readonly string[],
  to: string,
  options: CommonOptions,
  signal: AbortSignal,
): Promise<void> {
  const files = await nameTargets(from, to);
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
  const download = async ({ name, file }: RemoteFile) => {
    const fileID = await toFileId(storage, name, signal);
    await mkdir(dirname(file), { recursive: true });
    const onProgress = ({ loaded, total }: DownloadProgress) => {
      if (total !== undefined) progress.expect(file, total);
      progress.set(file, loaded);
    };
    await storage.downloadToFile(fileID, file, { signal, onProgress });
    return { result: options.quiet ? undefined : file, more: { to: file } };
  };
  const outcomes = await inParallel(files, ({ name }) => name, download);
  progress.stop();
  report(outcomes, options, 'were not downloaded');
}

interface RemoteFile {
  /** File ID, or `remote:/path`. */
  readonly name: string;
  /** Local path to write to. */
  readonly file: string;
}

async function nameTargets(names: readonly string[], to: string): Promise<RemoteFile[]> {
  const paths = names.map((name) => (isFileId(name) ? name : toFilePath(name)));
  const isFolder =
    names.length > 1 ||
    to.endsWith('/') ||
    to.endsWith(sep) ||
    (await stat(to).catch(() => undefined))?.isDirectory();
  return names.map((name, index) => ({
    name,
    file: isFolder ? join(to, posix.basename(paths[index] as string)) : to,
  }));
}
