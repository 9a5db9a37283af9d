import type { Command } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { withIds } from '../files/with-ids.ts';
import { report } from '../outcome.ts';
import { openStorage } from '../settings/open-storage.ts';
import { assertFiles } from './add-url.ts';

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
