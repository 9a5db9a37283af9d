import type { Command } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { Failure } from '../failure.ts';
import { copyRemote } from '../files/copy-remote.ts';
import { downloadFiles } from '../files/download-files.ts';
import { isFileId, isRemote } from '../files/remote.ts';
import { uploadFiles } from '../files/upload-files.ts';

/** What `berth cp` takes. */
export interface CpOptions extends CommonOptions {
  readonly list?: string;
}

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
