import { Command, InvalidArgumentError, Option } from 'commander';
import {
  AUTH_MODES,
  type AuthMode,
  isEnv,
  isHttp,
  MODES,
  type MockOptions,
  type Mode,
  type ProxyTargets,
  resolveOptions,
  toProxyTargets,
} from '../options.ts';
import { readPackageInfo } from '../util/package-info.ts';

const DEFAULT_PORT = 4010;

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;

const DEFAULT_TIMEOUT = 30;

/** What is for the deployment to decide, where one answers. */
const OF_MOCK = new Set(['--services', '--env', '--mode', '--auth', '--dir']);

interface ProxyFlags {
  proxy?: string;
  proxyGateway?: string;
  proxyStorage?: string;
  record?: string;
  replay?: string;
  failOnViolations?: boolean;
}

/** What the command line says; `wireProfile` is a file. */
export interface CliOptions extends ProxyFlags {
  port: number;
  host: string;
  tls?: boolean;
  env: string;
  mode: Mode;
  seed?: string;
  auth: AuthMode;
  origins?: string[];
  services?: string | string[];
  /** Rules of faults. */
  fault?: string[];
  dir?: string;
  maxSessions?: number;
  /** Files. */
  contract?: string[];
  wireProfile?: string;
  /** Address of a mock to wait for. */
  wait?: string;
  /** Seconds. */
  timeout: number;
  /** Options that were given and do nothing, because a deployment or recordings answer. */
  ignored: readonly string[];
}

/** Reads the command line. Exits with 0 after `--help` and `--version`, with 2 for wrong options. */
export function parseOptions(argv: string[]): CliOptions {
  const program = new Command('berth-mock')
    .description('Serves a mock of the gateway, the storage API and the upload target on one port.')
    .version(readPackageInfo().version)
    .option(
      '--port <number>',
      'port to listen on; 0 takes a free one',
      (value) => validated('port', toInteger(value)),
      DEFAULT_PORT,
    )
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 opens it to the network',
      (value) => validated('host', value),
      '127.0.0.1',
    )
    .option('--tls', 'HTTPS with a certificate that the mock signs itself')
    .option('--env <id>', 'environment that the mock serves', parseEnv, 'dev')
    .addOption(
      new Option('--mode <mode>', 'where answers come from').choices(MODES).default(MODES[0]),
    )
    .option('--seed <text>', 'draws the same each time')
    .addOption(
      new Option('--auth <mode>', 'credentials that let in').choices(AUTH_MODES).default('present'),
    )
    .option(
      '--origins <origin...>',
      "origins whose pages may read answers; '*' for every one (default: those of this machine)",
      oneMore('origins'),
    )
    .option(
      '--services <source...>',
      'hosted services: a folder or file (./services), or names (default: every name)',
      parseServices,
    )
    .option(
      '--fault <rule...>',
      'faults to do: latency=200, batchDelete:code=SYS_ERR,share=0.1',
      oneMore('faults'),
    )
    .option('--dir <folder>', 'keeps uploaded files there (default: in memory)', parsePath)
    .option('--max-sessions <count>', 'sessions that are kept', (value) =>
      validated('maxSessions', toInteger(value)),
    )
    .option(
      '--proxy <url>',
      'passes every call on to a real deployment, and judges both directions',
    )
    .option('--proxy-gateway <url>', 'the same, where the gateway has an address of its own')
    .option('--proxy-storage <url>', 'the same for storage')
    .option('--record <folder>', 'keeps there what passes through --proxy', parsePath)
    .option('--replay <folder>', 'answers from such a folder, without a network', parsePath)
    .option('--fail-on-violations', 'ends with 1 where a call through --proxy broke the contract')
    .option(
      '--contract <file...>',
      'own OpenAPI documents in place of those of the contract',
      parsePaths,
    )
    .option('--wire-profile <file>', 'JSON file with the names of a deployment', parsePath)
    .addOption(
      new Option('--wait [url]', `serves nothing: waits until a mock is ready (${DEFAULT_URL})`)
        .argParser(parseUrl)
        .preset(DEFAULT_URL),
    )
    .option('--timeout <seconds>', 'how long --wait waits', parseSeconds, DEFAULT_TIMEOUT)
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  const options: Omit<CliOptions, 'ignored'> = program.parse(argv).opts();
  const given = program.options
    .filter((option) => program.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long as string);
  try {
    assertWaitsOnly(given);
    toProxyOption(options);
  } catch (error) {
    program.error(`error: ${(error as Error).message}`, { exitCode: 2 });
  }
  const { proxy, proxyGateway, replay } = options;
  const isAnswered = (proxy ?? proxyGateway ?? replay) !== undefined;
  return { ...options, ignored: isAnswered ? given.filter((name) => OF_MOCK.has(name)) : [] };
}

/** Who waits serves nothing. */
function assertWaitsOnly(given: readonly string[]): void {
  if (!given.includes('--wait')) {
    if (!given.includes('--timeout')) return;
    throw new TypeError('--timeout needs --wait: it says how long to wait.');
  }
  const others = given.filter((name) => name !== '--wait' && name !== '--timeout').join(', ');
  if (others === '') return;
  throw new TypeError(
    `--wait serves nothing: leave out ${others}. Behind --wait goes the address of the mock: --wait ${DEFAULT_URL}.`,
  );
}

/** @throws InvalidArgumentError in the words of `resolveOptions` */
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
    'It must be one label of a host name: letters, digits and hyphens.',
  );
}

function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

function parsePaths(value: string, others: string[] = []): string[] {
  return [...others, parsePath(value)];
}

/** A path has a slash or a dot, which no name has. */
function parseServices(value: string, others: string | string[] = []): string | string[] {
  const isPath = /[./\\]/.test(parsePath(value));
  if (isPath && others.length === 0) return value;
  if (!isPath && typeof others !== 'string') return [...others, value];
  throw new InvalidArgumentError('It must be one folder or file, or names alone.');
}

function parseUrl(value: string): string {
  if (URL.canParse(value) && isHttp(new URL(value))) return value;
  throw new InvalidArgumentError(`It must be an address such as ${DEFAULT_URL}.`);
}

function parseSeconds(value: string): number {
  const seconds = Number(value);
  if (value.trim() !== '' && seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds above 0.');
}

const PROXIES = [
  ['proxy', '--proxy'],
  ['proxyGateway', '--proxy-gateway'],
  ['proxyStorage', '--proxy-storage'],
] as const;

/**
 * The addresses of a deployment; undefined where none is given.
 *
 * @throws TypeError with a sentence for the user
 */
export function toProxyOption(flags: ProxyFlags): ProxyTargets | undefined {
  const { proxy, proxyGateway: gateway = proxy, proxyStorage: storage = proxy } = flags;
  if (flags.replay !== undefined) {
    const given = PROXIES.filter(([name]) => flags[name] !== undefined).map(([, flag]) => flag);
    if (given.length > 0) {
      throw new TypeError(`--replay needs no deployment: leave out ${given.join(', ')}.`);
    }
  }
  if (gateway !== undefined && storage !== undefined) {
    return toProxyTargets(
      { gateway, storage },
      {
        gateway: flags.proxyGateway === undefined ? '--proxy' : '--proxy-gateway',
        storage: flags.proxyStorage === undefined ? '--proxy' : '--proxy-storage',
      },
    );
  }
  if (gateway !== undefined || storage !== undefined) {
    throw new TypeError(
      '--proxy-gateway and --proxy-storage belong together; --proxy is for both.',
    );
  }
  if (flags.record !== undefined) throw new TypeError('--record needs --proxy.');
  if (flags.failOnViolations) throw new TypeError('--fail-on-violations needs --proxy.');
  return undefined;
}
