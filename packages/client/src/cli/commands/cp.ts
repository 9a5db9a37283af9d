import { posix } from 'node:path';
import type { Command } from 'commander';
import { openStorage } from '../clients.ts';
import { downloadFiles } from '../files/download.ts';
import {
  assertDistinct,
  type CpOptions,
  inParallel,
  isFileId,
  isRemote,
  toFilePath,
  toRemotePath,
} from '../files/names.ts';
import { uploadFiles } from '../files/upload.ts';
import { Failure, report } from '../output.ts';

/** Adds `berth cp`. */
export function addCp(program: Command, signal: AbortSignal): Command {
  return program
    .command('cp')
    .description('Copies files and folders to the storage, files back, or files within it.')
    .usage('[options] <from...> <to>')
    .argument(
      '<names...>',
      'from: files or folders of the disk, or IDs or remote:/path; to: remote:/path, or a file or folder of the disk, or - for the standard output',
    )
    .option(
      '--list <file>',
      'list of what was uploaded: a repeated upload leaves out what it names, and a folder is downloaded by it',
    )
    .action((names: string[], options: CpOptions) => {
      const to = names.at(-1) as string;
      return cp(names.slice(0, -1), to, options, signal);
    });
}

async function cp(from: string[], to: string, options: CpOptions, signal: AbortSignal) {
  if (from.length === 0) throw new Failure(`Name what to copy, and where to: ${to} is alone.`, 2);
  const isThere = (name: string) => isRemote(name) || isFileId(name);
  const [source] = from as [string];
  if (from.some((name) => isThere(name) !== isThere(source))) {
    throw new Failure('Files of the disk and of the storage cannot be copied in one call.', 2);
  }
  if (isFileId(to)) throw new Failure(`Write the destination ${to} as remote:/path.`, 2);
  if (!isThere(source) && !isThere(to)) {
    throw new Failure(
      `Neither ${source} nor ${to} is in the storage: write remote:/path for what is there.`,
      2,
    );
  }
  if (!isThere(source)) return uploadFiles(from, to, options, signal);
  return isThere(to)
    ? copyRemote(from, to, options, signal)
    : downloadFiles(from, to, options, signal);
}

/** Copies files within the storage; nothing is downloaded. */
async function copyRemote(
  from: readonly string[],
  to: string,
  options: CpOptions,
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
