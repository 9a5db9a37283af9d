import { type Command, InvalidArgumentError } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { isFileId } from '../files/remote.ts';
import { toFilePath } from '../files/to-file-id.ts';
import { withIds } from '../files/with-ids.ts';
import { report } from '../outcome.ts';
import { openStorage } from '../settings/open-storage.ts';

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
export function assertFiles(files: readonly string[]): void {
  for (const file of files) if (!isFileId(file)) toFilePath(file);
}

function toSeconds(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number of at least 1, in seconds.');
}
