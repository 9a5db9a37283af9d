import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { call, toHeaders } from './call.ts';
import { cp, mv, rm, url } from './files.ts';
import { fail, STOPPED } from './output.ts';
import { SETTINGS } from './settings.ts';

const HELP_FOOTER = `
Settings are environment variables:
${Object.entries(SETTINGS)
  .map(([name, meaning]) => `  ${name.padEnd(26)} ${meaning}`)
  .join('\n')}

Examples:
  berth cp ./site remote:/site   uploads a folder
  berth cp remote:/a.txt ./copy/
  berth url remote:/a.txt --max-age 600
  berth call hello greet -d '{"name":"Ada"}'

Exit codes:
  0  success
  1  at least one operation failed, or the command was stopped
  2  an argument, an option or a setting is invalid; nothing was sent`;

const FILE = 'file ID or remote:/path';

export async function run(argv: readonly string[], version: string): Promise<void> {
  const stop = new AbortController();
  // A second signal ends the process at once.
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort(STOPPED));
  try {
    await createProgram(version, stop.signal).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode && 2;
    else fail(stop.signal.aborted ? STOPPED : error);
  }
}

function createProgram(version: string, signal: AbortSignal): Command {
  const name = process.env.npm_lifecycle_event === 'npx' ? 'npx berth' : 'berth';
  const program = new Command(name)
    .description('Manage stored files and call hosted services.')
    .version(version)
    .exitOverride()
    .showHelpAfterError(`See ${name} --help for the commands.`)
    .addHelpText('after', HELP_FOOTER);
  program
    .command('cp')
    .description('Upload a file or a folder, or download a file.')
    .argument('<from>', 'local file or folder, file ID or remote:/path')
    .argument('<to>', 'remote:/path, or a local file or folder')
    .action((from, to) => cp(from, to, signal));
  program
    .command('url')
    .description('Print a temporary link to a file.')
    .argument('<file>', FILE)
    .option('--max-age <seconds>', 'lifetime (default: chosen by the deployment)', toSeconds)
    .action((file, { maxAge }) => url(file, signal, maxAge));
  program
    .command('rm')
    .description('Delete a file. A missing file is an error.')
    .argument('<file>', FILE)
    .action((file) => rm(file, signal));
  program
    .command('mv')
    .description('Move or rename a stored file. If that fails, the source is kept.')
    .argument('<from>', 'remote:/path')
    .argument('<to>', 'remote:/path; an existing file is replaced')
    .action((from, to) => mv(from, to, signal));
  program
    .command('call')
    .description('Call a hosted service, and print its response as it arrives.')
    .argument('<service>', 'name of the service')
    .argument('[path]', 'path within the service, with its query', '')
    .option('-d, --data <data>', 'POST this text, or @file; JSON unless -H says otherwise')
    .option('-H, --header <header>', 'header as "Name: value"; repeatable', toHeaders)
    .action((service, path, flags) => call(service, path, flags, signal));
  for (const command of program.commands) {
    command.showHelpAfterError(`See ${name} ${command.name()} --help for the arguments.`);
  }
  return program;
}

function toSeconds(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected an integer of at least 1, in seconds.');
}
