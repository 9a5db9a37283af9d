import { posix } from 'node:path';
import type { Command } from 'commander';
import { openStorage } from '../clients.ts';
import { downloadFiles } from '../files/download.ts';
import {
  assertDistinct,
  inParallel,
  isFileId,
  isRemote,
  toFilePath,
  toRemotePath,
} from '../files/names.ts';
import { uploadFiles } from '../files/upload.ts';
import { type CommonOptions, Failure, report } from '../output.ts';

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
