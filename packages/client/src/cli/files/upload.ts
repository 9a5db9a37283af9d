import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Progress } from '../../internal/options.ts';
import { openStorage } from '../clients.ts';
import { type CommonOptions, Failure, report } from '../output.ts';
import { createProgress } from '../progress.ts';
import { assertDistinct, inParallel, toRemotePath } from './names.ts';

/** Uploads files and folders, a few files at a time. */
export async function uploadFiles(
  from: readonly string[],
  to: string,
  options: CommonOptions,
  signal: AbortSignal,
): Promise<void> {
  const files = await findLocalFiles(from, toRemotePath(to));
  assertDistinct(files.map(({ path }) => path));
  const storage = await openStorage(options);
  const progress = createProgress(options);
  for (const { file, size } of files) progress.expect(file, size);
  const upload = async ({ file, path, size }: LocalFile) => {
    const onProgress = ({ loaded }: Progress) => progress.set(file, loaded);
    const { fileID } = await storage.upload(path, { file }, { signal, onProgress });
    return { result: options.quiet ? undefined : fileID, more: { path, fileID, size } };
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
      return [{ file: name, path, size: info.size }];
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
    const path = folder + relative(root, file).split(sep).join('/');
    files.push({ file, path, size: info.size });
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
