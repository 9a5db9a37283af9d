import { type Command, InvalidArgumentError } from 'commander';
import { BATCH_CONCURRENCY } from '../../generated/contract.gen.ts';
import { mapLimit } from '../../operations/list-call.ts';
import type { StorageClient } from '../../storage-client.ts';
import { openStorage } from '../clients.ts';
import { isFileId, toFileId, toFilePath } from '../files/names.ts';
import { type CommonOptions, type Outcome, report } from '../output.ts';

interface UrlOptions extends CommonOptions {
  readonly maxAge?: number;
}

/** Adds `berth url`. */
export function addUrl(program: Command, signal: AbortSignal): Command {
  return program
    .command('url')
    .description('Prints a link to each file, which works for a while.')
    .argument('<files...>', 'IDs, or remote:/path')
    .option('--max-age <seconds>', 'how long it works (default: the deployment decides)', toSeconds)
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
  throw new InvalidArgumentError('It must be a whole number of at least 1, in seconds.');
}

/** Adds `berth rm`. */
export function addRm(program: Command, signal: AbortSignal): Command {
  return program
    .command('rm')
    .description('Deletes files. One that is missing is an error; the others are deleted.')
    .argument('<files...>', 'IDs, or remote:/path')
    .action(async (files: string[], options: CommonOptions) => {
      const outcomes = await withIds(files, options, signal, (storage, fileIDs) =>
        storage.delete(fileIDs, { signal }),
      );
      report(outcomes, options, 'were not deleted');
    });
}

/** Adds `berth mv`. */
export function addMv(program: Command, signal: AbortSignal): Command {
  return program
    .command('mv')
    .description('Moves a file within the storage. Where it fails the source is left.')
    .argument('<from>', 'remote:/path')
    .argument('<to>', 'remote:/path; what is there is replaced')
    .action(async (from: string, to: string, options: CommonOptions) => {
      const paths = [from, to].map((name) => `/${toFilePath(name)}`) as [string, string];
      const storage = await openStorage(options);
      const { fileID } = await storage.move(...paths, { signal });
      report([{ file: from, more: { to, fileID } }], options, 'were not moved');
    });
}

/** What a list operation gives for one file. */
interface FileResult {
  readonly fileID: string;
  readonly url?: string | undefined;
  readonly error?: Error | undefined;
}

/** Finds the IDs of files, and does the work of those that have one. A wrong name fails before anything is done. */
async function withIds(
  files: readonly string[],
  options: CommonOptions,
  signal: AbortSignal,
  work: (storage: StorageClient, fileIDs: string[]) => Promise<readonly FileResult[]>,
): Promise<Outcome[]> {
  for (const file of files) if (!isFileId(file)) toFilePath(file);
  const storage = await openStorage(options);
  const found = await mapLimit(files, BATCH_CONCURRENCY, (file) =>
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
