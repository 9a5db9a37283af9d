import { type Command, InvalidArgumentError } from 'commander';
import type { StorageClient } from '../../create-storage-client.ts';
import { mapLimit } from '../../operations/lists.ts';
import { openStorage } from '../clients.ts';
import { isFileId, toFileId, toFilePath } from '../names.ts';
import { type CommonOptions, type Outcome, report } from '../output.ts';

interface UrlOptions extends CommonOptions {
  readonly maxAge?: number;
}

export function addUrl(program: Command, signal: AbortSignal): Command {
  return program
    .command('url')
    .description('Print a temporary link to each file.')
    .argument('<files...>', 'file IDs or remote:/path')
    .option(
      '--max-age <seconds>',
      'how long the links are valid (default: chosen by the deployment)',
      toSeconds,
    )
    .action(async (files: string[], options: UrlOptions) => {
      const { maxAge } = options;
      const links = await withIds(files, options, signal, (storage, fileIDs) =>
        storage.tempUrls(fileIDs, { maxAge, signal }),
      );
      report(links, options, 'have no link');
    });
}

function toSeconds(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected a whole number of seconds, at least 1.');
}

export function addRm(program: Command, signal: AbortSignal): Command {
  return program
    .command('rm')
    .description('Delete files. A missing file is an error, but the others are still deleted.')
    .argument('<files...>', 'file IDs or remote:/path')
    .action(async (files: string[], options: CommonOptions) => {
      const outcomes = await withIds(files, options, signal, (storage, fileIDs) =>
        storage.delete(fileIDs, { signal }),
      );
      report(outcomes, options, 'were not deleted');
    });
}

export function addMv(program: Command, signal: AbortSignal): Command {
  return program
    .command('mv')
    .description('Move a file within remote storage. If the move fails, the source is kept.')
    .argument('<from>', 'current path as remote:/path')
    .argument('<to>', 'new path as remote:/path; an existing file is replaced')
    .action(async (from: string, to: string, options: CommonOptions) => {
      const paths = [from, to].map((name) => `/${toFilePath(name)}`) as [string, string];
      const storage = await openStorage(options);
      const { fileID } = await storage.move(...paths, { signal });
      report([{ file: from, more: { to, fileID } }], options, 'were not moved');
    });
}

interface FileResult {
  readonly fileID: string;
  readonly url?: string | undefined;
  readonly error?: Error | undefined;
}

/** Looks up file IDs and runs `work` on the files found. An invalid name fails before any call. */
async function withIds(
  files: readonly string[],
  options: CommonOptions,
  signal: AbortSignal,
  work: (storage: StorageClient, fileIDs: string[]) => Promise<readonly FileResult[]>,
): Promise<Outcome[]> {
  for (const file of files) if (!isFileId(file)) toFilePath(file);
  const storage = await openStorage(options);
  const found = await mapLimit(files, (file) =>
    toFileId(storage, file, signal).then(
      (fileID) => ({ fileID }),
      (error: unknown) => ({ error }),
    ),
  );
  const fileIDs = found.flatMap((each) => ('fileID' in each ? [each.fileID] : []));
  const results = (await work(storage, fileIDs)).values();
  return files.map((file, index) => {
    const each = found[index];
    if (each && 'error' in each) return { file, error: each.error };
    const { error, url, fileID } = results.next().value as FileResult;
    return error ? { file, error } : { file, result: url, more: { fileID, url } };
  });
}
