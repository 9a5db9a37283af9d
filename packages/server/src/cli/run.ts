import { contract } from '@berth/server-stubs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ONE_PROCESS } from '../config/to-faults.ts';
import { findFault } from './fail.ts';
import { readPackageInfo } from './package-info.ts';

const DATA = './berth-data';

const EXAMPLES = `
Examples:
  berth-server                               a development server in this folder
  berth-server --config berth.yaml           the server that the file describes
  berth-server check-config berth.yaml       tells what is wrong with it, with file and line
  berth-server token --subject me            a token of the development server

Exit codes:
  0  done; a server ended as it was told to
  1  what was looked at is bad (check-config, fsck), or the server failed while it ran
  2  it could not begin: a wrong option or configuration, a port in use, Node too old`;

/** Runs the command line. Commands are loaded when they are needed, so that help comes at once. */
export async function run(argv: string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const fault = findFault(error);
    process.stderr.write(`${fault?.message ?? (error as Error).stack}\n`);
    process.exitCode = fault?.exitCode ?? 1;
  }
}

function createProgram(): Command {
  const { documents } = contract;
  const version = `${readPackageInfo().version} (gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, contract ${contract.sha256.slice(0, 12)})`;
  const port = parseNumber(0, 65_535);
  const program = new Command('berth-server')
    .description('Serves the gateway, the storage API and the upload target.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('See berth-server --help for options and commands.')
    .option('-c, --config <file>', 'YAML file; without one a development server starts', parseText)
    .option('--port <number>', 'port to listen on; 0 takes a free one (default: 4020)', port)
    .option('--admin-port <number>', 'port of health and metrics (default: 4021)', port)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)', parseText)
    .addOption(
      new Option('--data <folder>', 'folder of a development server')
        .default(DATA)
        .argParser(parseText)
        .conflicts('config'),
    )
    .addOption(
      new Option('--workers [number]')
        .hideHelp()
        .preset('')
        .argParser(() => {
          throw new InvalidArgumentError(ONE_PROCESS);
        }),
    )
    .addOption(
      new Option('--log-level <level>', 'least weight of a line of the log').choices([
        ...['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      ]),
    )
    .addOption(
      new Option(
        '--expose-development',
        'let a development server listen on an address that others can reach',
      ).conflicts('config'),
    )
    .allowExcessArguments(false)
    .addHelpText('after', EXAMPLES)
    .action(async (options) => (await import('./serve.ts')).serve(options));
  program
    .command('token')
    .description(
      'Mints an access token with a private key, by default that of the development server.',
    )
    .addOption(
      new Option('--data <folder>', 'folder of the development server')
        .argParser(parseText)
        .conflicts('key'),
    )
    .option('--key <file>', 'private key as JSON (JWK) with its alg', parseText)
    .option('--env <name>', 'environment that it is for', 'dev')
    .option('--subject <name>', 'who it speaks for', 'developer')
    .option('--issuer <name>', 'who it comes from')
    .option('--seconds <number>', 'how long it is valid', parseNumber(1, 31_536_000), 3600)
    .allowExcessArguments(false)
    .action(async (options) => {
      const { token } = await import('./commands.ts');
      await token({ ...program.opts(), ...options });
    });
  program
    .command('check-config')
    .description('Tells whether a configuration can be used, and what is wrong with it.')
    .argument('<file>', 'YAML file')
    .allowExcessArguments(false)
    .action(async (file) => (await import('./commands.ts')).checkConfig(file));
  program
    .command('fsck')
    .description('Looks whether the files of a store on disk are whole.')
    .argument('[root]', 'folder of the store (default: that of --config, or of --data)')
    .option(
      '--repair',
      'remove litter, and move what is damaged or foreign to set-aside/ in the folder',
    )
    .allowExcessArguments(false)
    .action(async (root, options) => {
      const { fsck } = await import('./commands.ts');
      await fsck(root, { ...program.opts(), ...options });
    });
  return program;
}

/** Makes a reader of whole numbers for the command line. */
function parseNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads a text of the command line. Empty it is mostly a variable of the shell that is not set. */
function parseText(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}
