import type { Command } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { toFilePath } from '../files/to-file-id.ts';
import { report } from '../outcome.ts';
import { openStorage } from '../settings/open-storage.ts';

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
