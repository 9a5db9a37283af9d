import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { Failure } from '../failure.ts';

/** A file to upload. */
export interface LocalFile {
  /** On disk. */
  readonly file: string;
  /** Cloud path, without a leading slash. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtime: number;
}

/**
 * The files that are meant by what the user named, in order: a file alone goes to the path itself,
 * unless that ends with a slash; the files of a folder go below it. Links to files are followed, those
 * to folders are not.
 *
 * @throws Failure where a name is no file or folder
 */
export async function findLocalFiles(
  names: readonly string[],
  target: string,
): Promise<LocalFile[]> {
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
    throw new Failure(`${name} cannot be read: ${(error as Error).message}.`, 2);
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

/** All but folders. `readdir` with `recursive` follows links to folders from Node 26 on. */
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
