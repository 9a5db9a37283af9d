import { type Command, InvalidArgumentError } from 'commander';
import type { StorageClient } from '../../storage-client.ts';
import { openStorage } from '../clients.ts';
import { inParallel, isFileId, toFileId, toFilePath } from '../files/names.ts';
import type { CommonOptions } from '../output.ts';
import { type Outcome, report } from '../output.ts';

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
    .action((files: string[], options: UrlOptions) => url(files, options, signal));
}

async function url(files: string[], options: UrlOptions, signal: AbortSignal): Promise<void> {
  assertFiles(files);
  const storage = await openStorage(options);
  const { maxAge } = options;
  const links = await withIds(storage, files, signal, (fileIDs) =>
    storage.tempUrls(fileIDs, { maxAge, signal }),
  );
  report(links, options, 'have no link');
}

/** Finds out that an argument is wrong before anything is done. */
function assertFiles(files: readonly string[]): void {
  for (const file of files) if (!isFileId(file)) toFilePath(file);
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
    .action((files: string[], options: CommonOptions) => rm(files, options, signal));
}

async function rm(files: string[], options: CommonOptions, signal: AbortSignal): Promise<void> {
  assertFiles(files);
  const storage = await openStorage(options);
  const outcomes = await withIds(storage, files, signal, (fileIDs) =>
    storage.delete(fileIDs, { signal }),
  );
  report(outcomes, options, 'were not deleted');
}

/** Adds `berth mv`. */
export function addMv(program: Command, signal: AbortSignal): Command {
  return program
    .command('mv')
    .description('Moves a file within the storage. Where it fails the source is left.')
    .argument('<from>', 'remote:/path')
    .argument('<to>', 'remote:/path; what is there is replaced')
    .action((from: string, to: string, options: CommonOptions) => mv(from, to, options, signal));
}

async function mv(from: string, to: string, options: CommonOptions, signal: AbortSignal) {
  const paths = [from, to].map((name) => `/${toFilePath(name)}`) as [string, string];
  const storage = await openStorage(options);
  const { fileID } = await storage.move(...paths, { signal });
  report([{ file: from, more: { to, fileID } }], options, 'were not moved');
}

/** What a list operation tells of one file. */
interface Told {
  readonly fileID: string;
  readonly url?: string | undefined;
  readonly error?: Error | undefined;
}

/** Finds the IDs of files, does the work of those that have one, and tells what became of each. */
async function withIds(
  storage: StorageClient,
  files: readonly string[],
  signal: AbortSignal,
  work: (fileIDs: string[]) => Promise<readonly Told[]>,
): Promise<Outcome[]> {
  const ids = await inParallel(files, (file) => toFileId(storage, file, signal));
  const known = ids.flatMap((id) => (id.status === 'fulfilled' ? [id.value] : []));
  const told = (await work(known)).values();
  return files.map((file, index) => {
    const id = ids[index];
    if (id?.status === 'rejected') return { file, error: id.reason };
    const { error, url, fileID } = told.next().value as Told;
    return error ? { file, error } : { file, result: url, more: { fileID, url } };
  });
}
