import { Command, InvalidArgumentError } from 'commander';
import { isEnv } from '../options.ts';
import { readPackageInfo } from './package-info.ts';

const DEFAULT_PORT = 4010;

/** What the command line says; `wireProfile` is a file. */
export interface CliOptions {
  port: number;
  host: string;
  env: string;
  services?: string[];
  wireProfile?: string;
}

/** Reads the command line. Exits with 0 after `--help` and `--version`, with 2 for wrong options. */
export function parseOptions(argv: string[]): CliOptions {
  const program = new Command('berth-mock')
    .description('Serves a mock of the gateway, the storage API and the upload target on one port.')
    .version(readPackageInfo().version)
    .option('--port <number>', 'port to listen on; 0 takes a free one', parsePort, DEFAULT_PORT)
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 opens it to the network',
      parseHost,
      '127.0.0.1',
    )
    .option('--env <id>', 'environment that the mock serves', parseEnv, 'dev')
    .option('--services <name...>', 'hosted services that there are (default: every name)')
    .option('--wire-profile <file>', 'JSON file with the names of a deployment')
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  return program.parse(argv).opts();
}

function parsePort(value: string): number {
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function parseHost(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must be an address of this machine.');
}

function parseEnv(value: string): string {
  if (isEnv(value)) return value;
  throw new InvalidArgumentError(
    'It must be one label of a host name: letters, digits and hyphens.',
  );
}
