import { Command, InvalidArgumentError, Option } from 'commander';
import { AUTH_MODES, isEnv, type MockOptions, resolveOptions } from '../options.ts';
import { readPackageInfo } from '../util/package-info.ts';

const DEFAULT_PORT = 4010;

export interface CliOptions extends Omit<MockOptions, 'faults' | 'wireProfile'> {
  fault?: string[];
  /** Path of a file. */
  wireProfile?: string;
  quiet?: boolean;
}

/** Parses the command line. Exits with 0 after `--help` and `--version`, and with 2 for invalid options. */
export function parseOptions(argv: string[]): CliOptions {
  const program = new Command('berth-mock')
    .description('Serve a mock of the gateway, the storage API and the upload target on one port.')
    .addHelpText('after', '\nOpen /__mock in a browser for the log and the files.')
    .version(readPackageInfo().version)
    .argument(
      '[document]',
      'OpenAPI document to serve at the root instead of the contract, such as ./petstore.yaml; calls need no credentials',
      parsePath,
    )
    .option(
      '--port <number>',
      'port to listen on; 0 picks a free port',
      (value) => validated('port', toInteger(value)),
      DEFAULT_PORT,
    )
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 exposes the mock to the network',
      (value) => validated('host', value),
      '127.0.0.1',
    )
    .option('--env <id>', 'environment to serve', parseEnv, 'dev')
    .option('--dynamic', 'let Prism generate responses from the schemas instead of using examples')
    .option('--seed <text>', 'seed for generated responses')
    .addOption(
      new Option('--auth <mode>', 'which credentials to accept (default: present)').choices(
        AUTH_MODES,
      ),
    )
    .option(
      '--origins <origin...>',
      "origins whose pages may read responses; '*' for any (default: this machine's origins)",
      oneMore('origins'),
    )
    .option(
      '--services <path>',
      'folder or file that defines hosted services, such as ./services (default: any name exists)',
      parsePath,
    )
    .option(
      '--fault <rule...>',
      'faults to inject, such as latency=200 or batchDelete:code=SYS_ERR,times=2',
      oneMore('faults'),
    )
    .option('--wire-profile <file>', "JSON file with a deployment's wire profile", parsePath)
    .option('--quiet', 'do not print calls')
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  const options: CliOptions = program.parse(argv).opts();
  const [document] = program.args;
  if (document !== undefined) options.document = document;
  return options;
}

/** @throws InvalidArgumentError with the message of `resolveOptions` */
function validated<Value>(name: keyof MockOptions, value: Value): Value {
  try {
    resolveOptions({ [name]: value });
    return value;
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidArgumentError(message.replace(/^(port|host) /, 'It '));
  }
}

const oneMore =
  (name: keyof MockOptions) =>
  (value: string, others: string[] = []): string[] => [...others, ...validated(name, [value])];

function toInteger(value: string): number {
  return /^\d+$/.test(value) ? Number(value) : Number.NaN;
}

function parseEnv(value: string): string {
  if (isEnv(value)) return value;
  throw new InvalidArgumentError(
    'It must be a single host name label: letters, digits and hyphens.',
  );
}

function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}
