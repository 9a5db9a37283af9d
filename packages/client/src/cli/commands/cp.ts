import { mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import type { Command } from 'commander';
import type { Progress } from '../../internal/options.ts';
import { openStorage } from '../clients.ts';
import {
  assertDistinct,
  inParallel,
  isFileId,
  isRemote,
  toFileId,
  toFilePath,
  toRemotePath,
} from '../names.ts';
import { type CommonOptions, createProgress, Failure, report, writeOut } from '../output.ts';

export function addCp(program: Command, signal: AbortSignal): Command {
  return program
    .command('cp')
    .description('Copy files to, from or within remote storage.')
    .usage('[options] <from...> <to>')
    .argument(
      '<names...>',
      'one or more sources (local files or folders, file IDs, remote:/path), then the target (remote:/path, a local file or folder, or - for stdout)',
    )
    .action((names: string[], options: CommonOptions) => {
      const to = names.at(-1) as string;
      return cp(names.slice(0, -1), to, options, signal);
    });
}

async function cp(from: string[], to: string, options: CommonOptions, signal: AbortSignal) {
  if (from.length === 0) throw new Failure(`Expected a source and a target, got only ${to}.`, 2);
  const isInStorage = (name: string) => isRemote(name) || isFileId(name);
  const [source] = from as [string];
  if (from.some((name) => isInStorage(name) !== isInStorage(source))) {
    throw new Failure('Cannot mix local and remote sources: use one command for each.', 2);
  }
  if (isFileId(to)) throw new Failure(`The target must be written as remote:/path, got ${to}.`, 2);
  if (!isInStorage(source) && !isInStorage(to)) {
    throw new Failure(
      `Neither ${source} nor ${to} is in the storage: write storage paths as remote:/path.`,
      2,
    );
  }
  if (!isInStorage(source)) return uploadFiles(from, to, options, signal);
  return isInStorage(to)
    ? copyRemote(from, to, options, signal)
    : downloadFiles(from, to, options, signal);
}

async function copyRemote(
  from: readonly string[],
  to: string,
  options: CommonOptions,
  signal: AbortSignal,
): Promise<void> {
  const target = toRemotePath(to);
  const isFolder = from.length > 1 || target === '' || target.endsWith('/');
  const folder = target === '' || target.endsWith('/') ? target : `${target}/`;
  const files = from.map((name) => {
    const source = toFilePath(name);
    return { name, source, path: isFolder ? folder + posix.basename(source) : target };
  });
  assertDistinct(files.map(({ path }) => path));
  const storage = await openStorage(options);
  const copy = async ({ source, path }: (typeof files)[number]) => {
    const { fileID } = await storage.copy(`/${source}`, `/${path}`, { signal });
    return { result: options.quiet ? undefined : fileID, more: { path, fileID } };
  };
  report(await inParallel(files, ({ name }) => name, copy), options, 'were not copied');
}

/** Downloads files, a few at a time, or prints them one after the other if the target is `-`. */
async function downloadFiles(
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
    const onProgress = ({ loaded, total }: Progress) => {
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

/** Uploads files and folders, a few files at a time. */
async function uploadFiles(
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
