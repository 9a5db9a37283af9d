import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { openStorage } from '../clients.ts';
import { Failure, report } from '../output.ts';
import { createProgress } from '../progress.ts';
import { openFileList } from './file-list.ts';
import { assertDistinct, type CpOptions, inParallel, toRemotePath } from './names.ts';

/**
 * Uploads files and folders, a few files at a time. Skips files that have not changed since they were added
 * to the list.
 */
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
  const upload = async ({ file, path, size, mtime }: LocalFile) => {
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
  };
  const outcomes = await inParallel(files, ({ file }) => file, upload);
  progress.stop();
  report(outcomes, options, 'were not uploaded');
}

interface LocalFile {
  readonly file: string;
  /** Path in the storage, without a leading slash. */
  readonly path: string;
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly mtime: number;
}

/**
 * Finds the files that the user named, in order. A single file is uploaded to the target path itself,
 * unless that ends with a slash; files in a folder are uploaded below it. Follows symbolic links to
 * files, but not to folders.
 *
 * @throws Failure if a path is neither a file nor a folder
 */
async function findLocalFiles(names: readonly string[], target: string): Promise<LocalFile[]> {
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  const found = await Promise.all(
    names.map(async (name) => {
      const info = await look(name);
      const isAlone = names.length === 1;
      if (info.isDirectory()) {
        return walk(name, isAlone ? folder : `${folder}${basename(name)}/`);
      }
      const path =
        isAlone && target !== '' && !target.endsWith('/') ? target : folder + basename(name);
      return [toFile(name, path, info)];
    }),
  );
  return found.flat();
}

async function look(name: string) {
  try {
    const info = await stat(name);
    if (info.isFile() || info.isDirectory()) return info;
  } catch (error) {
    throw new Failure(`Cannot read ${name}: ${(error as Error).message}.`, 2);
  }
  throw new Failure(`${name} is neither a file nor a folder.`, 2);
}

async function walk(root: string, folder: string): Promise<LocalFile[]> {
  const files: LocalFile[] = [];
  for await (const file of namesBelow(root)) {
    const info = await stat(file).catch(() => undefined);
    if (!info?.isFile()) continue;
    files.push(toFile(file, folder + relative(root, file).split(sep).join('/'), info));
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lists all entries except folders. A recursive `readdir` would follow links to folders since Node 26. */
async function* namesBelow(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) yield* namesBelow(file);
    else yield file;
  }
}

function toFile(file: string, path: string, info: { size: number; mtimeMs: number }): LocalFile {
  return { file, path, size: info.size, mtime: Math.trunc(info.mtimeMs) };
}
