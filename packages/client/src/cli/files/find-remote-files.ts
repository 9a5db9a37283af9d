import { stat } from 'node:fs/promises';
import { join, posix, resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { openFileList } from './file-list.ts';
import { isFileId, toRemotePath } from './remote.ts';
import { toFilePath } from './to-file-id.ts';

/** A file to download. */
export interface RemoteFile {
  /** Its ID, or `remote:/path`. */
  readonly name: string;
  /** Where it goes on disk. */
  readonly file: string;
  /** In bytes, where a list tells it. */
  readonly size?: number | undefined;
  /** Milliseconds since the epoch, where a list tells it. */
  readonly mtime?: number | undefined;
}

/**
 * The files that are meant by what the user named. With a list they are those in it that lie at or
 * below the named paths, for the storage API has no operation that lists files.
 *
 * @throws Failure where a folder is named without a list, or where a list has none of the files
 */
export async function findRemoteFiles(
  names: readonly string[],
  to: string,
  list: string | undefined,
): Promise<RemoteFile[]> {
  if (list !== undefined) return findInList(names, to, list);
  const paths = names.map((name) => (isFileId(name) ? name : toFilePath(name)));
  const isFolder =
    names.length > 1 || to.endsWith('/') || to.endsWith(sep) || (await isDirectory(to));
  return names.map((name, index) => ({
    name,
    file: isFolder ? join(to, posix.basename(paths[index] as string)) : to,
  }));
}

/** Whether an earlier download has brought a file, so that it need not come again. */
export async function isUnchanged({ file, size, mtime }: RemoteFile): Promise<boolean> {
  if (mtime === undefined) return false;
  const info = await stat(file).catch(() => undefined);
  return info?.size === size && Math.trunc(info?.mtimeMs ?? 0) === mtime;
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
        return { ...rest, name, file: toInside(to, path.slice(folder.length)) };
      }),
  );
  if (found.length > 0) return found;
  throw new Failure(`${list} names no file below ${names.join(' or ')}.`, 2);
}

/** A list may come from elsewhere: nothing that it names may land outside of the folder. */
function toInside(folder: string, path: string): string {
  const file = join(folder, ...path.split('/'));
  if (resolve(file).startsWith(resolve(folder) + sep)) return file;
  throw new Failure(`${path} of the list would be written outside of ${folder}.`, 2);
}

async function isDirectory(name: string): Promise<boolean> {
  const info = await stat(name).catch(() => undefined);
  return info?.isDirectory() ?? false;
}
