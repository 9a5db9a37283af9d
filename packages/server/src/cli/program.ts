import { SIGNED_KINDS } from '@berth/storage';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { allowBrokenPipe } from '../observe/log.ts';
import { toFailure } from './failure.ts';

const EXAMPLES = `
Examples:
  berth-server                               start a development server in this folder
  berth-server --config berth.yaml           start a server with this configuration
  berth-server token --subject me            mint a token for a development server
  berth-server revoke grant 3f0c6a52-… --config berth.yaml
                                             revoke a grant by its storeFileID

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
  const name = process.env.npm_lifecycle_event === 'npx' ? 'npx berth-server' : 'berth-server';
  const program = new Command(name)
    .description('Serve the gateway, the storage API and the upload target.')
    .version(version)
    .exitOverride()
    // Each command has its own options.
    .enablePositionalOptions()
    .hook('preSubcommand', rejectServerOptions)
    .showHelpAfterError(`See ${name} --help for options and commands.`)
    .option(CONFIG, 'YAML configuration file (default: start a development server)', parseText)
    .addOption(
      new Option('--port <number>', 'port of a development server; 0 picks a free port')
        .default(4020)
        .argParser(parseNumber(0, 65_535))
        .conflicts('config'),
    )
    .addOption(createDataOption().conflicts('config'))
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments()
    .action(async ({ config, port, data }) => {
      const [name] = program.args;
      if (name !== undefined) rejectCommand(program, name);
      const { serveConfig, serveDevelopment } = await import('./serve.ts');
      return config === undefined ? serveDevelopment(port, data) : serveConfig(config);
    });
  program
    .command('token')
    .description('Mint an access token for the development server of a data folder.')
    .addOption(createDataOption())
    .option('--subject <name>', 'caller that the token identifies (sub)', 'developer')
    .option('--seconds <number>', 'token lifetime in seconds', parseNumber(1, 31_536_000), 3600)
    .action(async (options) => (await commands()).token(options));
  program
    .command('fsck')
    .description('Find damaged files in a store on disk.')
    .argument('<root>', 'folder of the store: store.root, or files in the --data folder')
    .option(
      '--repair',
      'while no server runs: move damaged and foreign files to set-aside/ in the store folder',
    )
    .action(async (root, options) => (await commands()).fsck(root, options));
  program
    .command('revoke')
    .description('Revoke a grant or link in all processes that share a Redis server.')
    .addArgument(new Argument('<kind>', 'what to revoke').choices(SIGNED_KINDS))
    .argument('<name>', 'storeFileID of a grant, or URL of a link')
    .requiredOption(CONFIG, 'configuration file of the processes', parseText)
    .action(async (kind, name, { config }) => (await commands()).revoke(kind, name, config));
  return program;
}

const CONFIG = '-c, --config <file>';

function createDataOption(): Option {
  return new Option('--data <folder>', 'data folder of a development server')
    .default('./berth-data')
    .argParser(parseText);
}

function rejectCommand(program: Command, name: string): never {
  const isFile = /\.(?:ya?ml|json)$/i.test(name);
  const names = program.commands.map((command) => command.name()).join(', ');
  const hint = isFile ? 'a configuration file follows --config' : `the commands are ${names}`;
  return program.error(`error: unknown command '${name}': ${hint}`);
}

/** Otherwise, options before the name of a command would have no effect. */
function rejectServerOptions(program: Command, command: Command): void {
  for (const option of program.options) {
    if (program.getOptionValueSource(option.attributeName()) !== 'cli') continue;
    const isKnown = command.options.some(({ long }) => long === option.long);
    const problem = isKnown ? 'must follow' : 'is not an option of';
    program.error(`error: option '${option.flags}' ${problem} '${command.name()}'`);
  }
}

/** Apart from `serve.ts`, which loads everything: these commands need little of it, and start faster without. */
const commands = () => import('./commands.ts');

function parseNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  };
}

/** Rejects an empty value, which usually comes from an unset shell variable. */
function parseText(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}
