import { readFile } from 'node:fs/promises';
import { parseWireProfile, type WireProfile, WireProfileError } from '@berth/spec/wire-profile';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AUTH_MODES, isEnv, type MockOptions, resolveOptions } from '../options.ts';
import { serve } from '../serve.ts';
import { describeFileError, describeServiceFault } from '../services/services.ts';
import { findReason, type LoggedRequest } from '../session/request-log.ts';
import { readPackageInfo } from '../util/package-info.ts';
import { describeMock } from './describe-mock.ts';

/** Runs the command line: serves a mock until SIGINT, SIGTERM or SIGHUP. */
export async function run(argv: string[]): Promise<void> {
  const options = parseOptions(argv);
  try {
    const { wireProfile: file, fault: faults, quiet, ...rest } = options;
    const served = await serve(
      {
        ...rest,
        faults,
        wireProfile: file === undefined ? undefined : await readWireProfile(file),
      },
      quiet ? EVENTS : { ...EVENTS, onCall: printCalls() },
    );
    const stop = () => {
      // The lines of the last calls come first.
      const exit = () => setImmediate(() => process.exit(0));
      void served.close().then(exit);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    process.stdout.write(`${await describeMock(served)}\n\nready\n`);
  } catch (error) {
    const fault = findStartFault(error as NodeJS.ErrnoException, options);
    if (fault === undefined) throw error;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 2;
  }
}

const EVENTS: Parameters<typeof serve>[1] = {
  onChange: (files) => print(`Reloaded services: ${files.join(', ')}`),
  onFault: (fault) => process.stderr.write(`${describeServiceFault(fault)}\n`),
};

/** Returns a listener that prints each call once, when its response is complete. */
function printCalls(): (call: LoggedRequest) => void {
  const printed = new WeakSet<LoggedRequest>();
  return (call) => {
    if (call.response === undefined || printed.has(call)) return;
    printed.add(call);
    print(describeCall(call));
  };
}

/**
 * Returns the line to print for a completed call. Secrets in targets are already redacted.
 *
 * @example
 * 'POST /api/v2/envs/dev/storages:batchDelete 400 2 ms: body.fileList must be an array.'
 */
function describeCall(call: LoggedRequest): string {
  const { method, target } = call.request;
  const { status, ms } = call.response ?? { status: 0, ms: 0 };
  const reason = findReason(call);
  return `${method} ${target} ${status} ${Math.round(ms)} ms${reason === undefined ? '' : `: ${reason}`}`;
}

let lines = '';

/**
 * Prints a line to stdout. All lines of one turn of the event loop are written together, because each write
 * blocks and takes longer than a call.
 */
function print(line: string): void {
  if (lines === '') setImmediate(writeLines);
  lines += `${line}\n`;
}

function writeLines(): void {
  process.stdout.write(lines);
  lines = '';
}

/** Returns the message for an error that the user can fix; undefined for any other error. */
function findStartFault(
  error: NodeJS.ErrnoException,
  { port, host }: CliOptions,
): string | undefined {
  if (error instanceof WireProfileError) return error.message;
  if (error.name === 'ServicesError') return error.message;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: stop the other program, or choose another port with --port.`;
    case 'EACCES':
      return `Port ${port} requires elevated privileges: choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: choose another one with --host.`;
    default:
      return undefined;
  }
}

/** @throws WireProfileError that names the file */
async function readWireProfile(file: string): Promise<WireProfile> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new WireProfileError('', `cannot be read: ${describeFileError(error)}`, file);
  });
  return parseWireProfile(text, file);
}

const DEFAULT_PORT = 4010;

interface CliOptions extends Omit<MockOptions, 'faults' | 'wireProfile'> {
  fault?: string[];
  /** Path of a file. */
  wireProfile?: string;
  quiet?: boolean;
}

/** Parses the command line. Exits with 0 after `--help` and `--version`, and with 2 for invalid options. */
function parseOptions(argv: string[]): CliOptions {
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
