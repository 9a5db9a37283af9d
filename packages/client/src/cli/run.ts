import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CONTRACT } from '../generated/contract.gen.ts';
import { call, toHeaders } from './call.ts';
import { cp, mv, rm, url } from './files.ts';
import { fail, STOPPED } from './output.ts';
import { SETTINGS } from './settings.ts';

const MORE = `
Settings are environment variables:
${Object.entries(SETTINGS)
  .map(([name, meaning]) => `  ${name.padEnd(26)} ${meaning}`)
  .join('\n')}

Examples:
  berth cp ./site remote:/site   uploads a folder
  berth cp remote:/a.txt ./copy/
  berth cp remote:/a.txt -       prints a file
  berth url remote:/a.txt --max-age 600
  berth call hello greet -d '{"name":"Ada"}'

Exit codes:
  0  success
  1  at least one operation failed, or the command was stopped
  2  an argument, an option or a setting is wrong; nothing was sent`;

const METHOD = new Option('-X, --request <method>', 'HTTP method (default: GET, or POST with -d)');
METHOD.choices(['GET', 'POST', 'HEAD']);

/** Runs the command line, and sets the exit code. */
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
  const { documents, sha256 } = CONTRACT;
  const gateway = documents['gateway.v1'].version;
  const storage = documents['storage.v2'].version;
  const program = new Command('berth')
    .description('Manage stored files and call hosted services.')
    .version(`${version} (gateway ${gateway}, storage ${storage}, contract ${sha256.slice(0, 12)})`)
    .exitOverride()
    .addHelpText('after', MORE);
  program
    .command('cp')
    .description('Upload files and folders, or download files.')
    .usage('[options] <from...> <to>')
    .argument('<names...>', 'local files and folders, file IDs, remote:/path, or - for stdout')
    .action((names, options) => cp(names, { ...options, signal }));
  program
    .command('url')
    .description('Print a temporary link to each file.')
    .argument('<files...>', 'file IDs or remote:/path')
    .option('--max-age <seconds>', 'lifetime (default: chosen by the deployment)', toSeconds)
    .action((files, options) => url(files, { ...options, signal }));
  program
    .command('rm')
    .description('Delete files. A missing file is an error, but the others are still deleted.')
    .argument('<files...>', 'file IDs or remote:/path')
    .action((files, options) => rm(files, { ...options, signal }));
  program
    .command('mv')
    .description('Move a file within the storage. If that fails, the source is kept.')
    .argument('<from>', 'remote:/path')
    .argument('<to>', 'remote:/path; an existing file is replaced')
    .action((from, to, options) => mv(from, to, { ...options, signal }));
  program
    .command('call')
    .description('Call a hosted service, and print its response as it arrives.')
    .argument('<service>', 'name of the service')
    .argument('[path]', 'path within the service, with its query', '')
    .addOption(METHOD)
    .option('-d, --data <data>', 'body, JSON unless -H says otherwise: text, @file or - for stdin')
    .option('-H, --header <header>', 'header as "Name: value"; repeatable', toHeaders)
    .action((name, path, options) => call(name, path, { ...options, signal }));
  return program;
}

function toSeconds(value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new InvalidArgumentError('Expected an integer of at least 1, in seconds.');
}
