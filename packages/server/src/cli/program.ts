import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { allowBrokenPipe } from '../observe/log.ts';
import { REVOCABLE } from '../redis.ts';
import { toFailure } from './failure.ts';

const EXAMPLES = `
Examples:
  berth-server                               start a development server in this folder
  berth-server --config berth.yaml           start a server with this configuration
  berth-server revoke key-pair dev/ci --config berth.yaml
                                             revoke a key pair, its grants and its links

Exit codes:
  0  success, or the server was stopped
  1  fsck found problems that it did not repair, or the server failed while running
  2  could not start: invalid option or configuration, port in use, Node too old`;

export async function run(argv: readonly string[], version: string): Promise<void> {
  allowBrokenPipe(process.stdout);
  allowBrokenPipe(process.stderr);
  try {
    await createProgram(version).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const failure = toFailure(error);
    process.stderr.write(`${failure?.message ?? (error as Error).stack}\n`);
    process.exitCode = failure?.exitCode ?? 1;
  }
}

function createProgram(version: string): Command {
  const program = new Command('berth-server')
    .description('Serve the gateway, the storage API and the upload target.')
    .version(version)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('See berth-server --help for options and commands.')
    .option(
      '-c, --config <file>',
      'YAML configuration file (default: start a development server)',
      parseText,
    )
    .addOption(
      forDevelopment('--port <number>', 'port of a development server; 0 picks a free port')
        .default(4020)
        .argParser(parsePort),
    )
    .addOption(
      forDevelopment('--data <folder>', 'data folder of a development server')
        .default('./berth-data')
        .argParser(parseText),
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ config, port, data }) => {
      const { serveConfig, serveDevelopment } = await import('./serve.ts');
      return config === undefined ? serveDevelopment(port, data) : serveConfig(config);
    });
  program
    .command('fsck')
    .description('Find damaged files in a store on disk.')
    .argument('<root>', 'folder of the store: store.root, or files in the --data folder')
    .option(
      '--repair',
      'while no server runs: move damaged and foreign files to set-aside/ in the store folder',
    )
    .action(async (root, { repair }) => (await commands()).fsck(root, repair));
  program
    .command('revoke')
    .description(
      'Revoke a key pair, grant or link in all processes that share a Redis server (--config).',
    )
    .addArgument(new Argument('<kind>', 'what to revoke').choices(REVOCABLE))
    .argument('<name>', 'environment/ID of a key pair, storeFileID of a grant, or URL of a link')
    .action(async (kind, name) => (await commands()).revoke(kind, name, program.opts().config));
  return program;
}

function forDevelopment(flags: string, description: string): Option {
  return new Option(flags, description).conflicts('config');
}

const commands = () => import('./commands.ts');

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
}

/** Rejects an empty value, which usually comes from an unset shell variable. */
function parseText(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}
