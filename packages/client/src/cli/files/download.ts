import { mkdir, stat, utimes } from 'node:fs/promises';
import { dirname, join, posix, resolve, sep } from 'node:path';
import type { Progress as DownloadProgress } from '../../internal/options.ts';
import { openStorage } from '../clients.ts';
import { Failure, report, writeOut } from '../output.ts';
import { createProgress } from '../progress.ts';
import { openFileList } from './file-list.ts';
import {
  assertDistinct,
  type CpOptions,
  inParallel,
  isFileId,
  toFileId,
  toFilePath,
  toRemotePath,
} from './names.ts';

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
  const download = async (wanted: RemoteFile) => {
    const { name, file, mtime } = wanted;
    const skipped = await isUnchanged(wanted);
    if (!skipped) {
      const fileID = await toFileId(storage, name, signal);
      await mkdir(dirname(file), { recursive: true });
      const onProgress = ({ loaded, total }: DownloadProgress) => {
        if (total !== undefined) progress.expect(file, total);
        progress.set(file, loaded);
      };
      await storage.downloadToFile(fileID, file, { signal, onProgress });
      if (mtime !== undefined) await utimes(file, new Date(), new Date(mtime));
    }
    return { result: options.quiet ? undefined : file, more: { to: file, skipped } };
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
  /** In bytes; only known with a list. */
  readonly size?: number | undefined;
  /** In milliseconds since the epoch; only known with a list. */
  readonly mtime?: number | undefined;
}

/**
 * Finds the files that the user named. With a list, these are its entries at or below the named paths,
 * because the storage API cannot list files.
 *
 * @throws Failure if a folder is named without a list, or if none of the files is in the list
 */
async function findRemoteFiles(
  names: readonly string[],
  to: string,
  list: string | undefined,
): Promise<RemoteFile[]> {
  if (list !== undefined) return findInList(names, to, list);
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

async function findInList(names: readonly string[], to: string, list: string) {
  const { files } = await openFileList(list);
  const folders = names.map((name) => {
    const path = toRemotePath(name);
    return path === '' || path.endsWith('/') ? path : `${path}/`;
  });
  const found = folders.flatMap((folder) =>
    [...files.values()]
      .filter(({ path }) => path.startsWith(folder))
      .map(({ path, fileID: name, ...rest }) => {
        return { ...rest, name, file: resolveInside(to, path.slice(folder.length)) };
      }),
  );
  if (found.length > 0) return found;
  throw new Failure(`${list} lists no files below ${names.join(' or ')}.`, 2);
}

/** Joins a path from the list, which may come from someone else, and rejects any path outside the folder. */
function resolveInside(folder: string, path: string): string {
  const file = join(folder, ...path.split('/'));
  if (resolve(file).startsWith(resolve(folder) + sep)) return file;
  throw new Failure(`${path} in the list points outside ${folder}.`, 2);
}

/** Returns whether an earlier download already wrote the file. */
async function isUnchanged({ file, size, mtime }: RemoteFile): Promise<boolean> {
  if (mtime === undefined) return false;
  const info = await stat(file).catch(() => undefined);
  return info?.size === size && Math.trunc(info?.mtimeMs ?? 0) === mtime;
}
