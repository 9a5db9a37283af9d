import { Command, InvalidArgumentError, Option } from 'commander';
import { AUTH_MODES, isEnv, MODES, type MockOptions, resolveOptions } from '../options.ts';
import { readPackageInfo } from '../util/package-info.ts';
import { LOG_FORMATS, type LogFormat } from './describe-call.ts';

const DEFAULT_PORT = 4010;

export interface CliOptions extends Omit<MockOptions, 'faults' | 'wireProfile'> {
  fault?: string[];
  /** Path of a file. */
  wireProfile?: string;
  log: LogFormat;
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
    .option('--tls', 'serve HTTPS with a self-signed certificate')
    .option('--env <id>', 'environment to serve', parseEnv, 'dev')
    .addOption(
      new Option('--mode <mode>', 'where responses come from').choices(MODES).default(MODES[0]),
    )
    .option('--seed <text>', 'seed for generated responses')
    .addOption(
      new Option(
        '--auth <mode>',
        'which credentials to accept (default: present, or off for a document)',
      ).choices(AUTH_MODES),
    )
    .option(
      '--origins <origin...>',
      "origins whose pages may read responses; '*' for any (default: this machine's origins)",
      oneMore('origins'),
    )
    .option(
      '--services <source...>',
      'folder or file that defines hosted services, such as ./services, or a list of service names (default: any name)',
      parseServices,
    )
    .option(
      '--fault <rule...>',
      'faults to inject, such as latency=200 or batchDelete:code=SYS_ERR,times=2',
      oneMore('faults'),
    )
    .option('--max-sessions <count>', 'maximum number of sessions to keep', (value) =>
      validated('maxSessions', toInteger(value)),
    )
    .option('--wire-profile <file>', "JSON file with a deployment's wire profile", parsePath)
    .addOption(
      new Option('--log <format>', 'how to print calls')
        .choices(LOG_FORMATS)
        .default(LOG_FORMATS[0]),
    )
    .addOption(new Option('--quiet', 'do not print calls').conflicts('log'))
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
    throw new InvalidArgumentError(message.replace(/^(port|host|maxSessions) /, 'It '));
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

/** Paths contain a slash or a dot; service names do not. */
function parseServices(value: string, others: string | string[] = []): string | string[] {
  const isPath = /[./\\]/.test(parsePath(value));
  if (isPath && others.length === 0) return value;
  if (!isPath && typeof others !== 'string') return [...others, value];
  throw new InvalidArgumentError('It must be a single folder or file, or a list of names.');
}
