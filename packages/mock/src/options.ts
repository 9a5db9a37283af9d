import type { CorsOptions } from '@berth/server-stubs';
import { isOrigin } from '@berth/server-stubs/contract';
import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import type { FaultRule } from './faults/fault-rules.ts';
import { isLoopbackOrigin } from './host.ts';
import type { HostedServices } from './services/service.ts';
import {
  assertOptions,
  ENVIRONMENT,
  isInteger,
  isObject,
  isRecord,
  isText,
  type OptionRule,
} from './user-input.ts';

const CREDENTIALS = ['present', 'strict'] as const;

const LOG_FORMATS = ['text', 'json', 'quiet'] as const;

/** Options for `createMock`. On the command line, `wireProfile` is `--wire-profile`, and so on. */
export interface MockOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined;
  /** Host to listen on. Default `127.0.0.1`; `0.0.0.0` exposes the mock to the network. */
  host?: string | undefined;
  /** ID of the environment. Calls to any other fail with `INVALID_HOST` or `INVALID_ENV`. Default `dev`. */
  env?: string | undefined;
  /** Hosted services, besides `hello` and `echo`: by name, or the path of a file that defines them. Default: none. */
  services?: string | HostedServices | undefined;
  /**
   * Path of an OpenAPI document: a draft of the gateway or storage document, which extends the built-in one, or any
   * other document, which is then standalone: served at the path of its `servers`, without credentials. Default: none.
   */
  document?: string | undefined;
  /** Wire names of the deployment to imitate. Default: the contract's names. */
  wireProfile?: WireProfileInput | undefined;
  /** Which credentials to accept: `present` (any) or `strict` (those of `Mock.credentials`). Default `present`. */
  credentials?: (typeof CREDENTIALS)[number] | undefined;
  /** Faults in every new session: rules, or strings such as `batchDelete:code=SYS_ERR,times=2`. Default: none. */
  faults?: readonly (Omit<FaultRule, 'name'> | string)[] | undefined;
  /**
   * Origins whose pages may read responses and open WebSockets, in the form that browsers send:
   * `['https://app.example.com']`, or `['*']` for every origin. Default: this machine's origins, which are
   * `localhost`, `*.localhost`, `127.0.0.1` and `[::1]` on any port.
   */
  origins?: readonly string[] | undefined;
  /** Let Prism generate responses from the schemas instead of using examples. Default false. */
  dynamic?: boolean | undefined;
  /** Seed for generated responses: the same seed produces the same responses. Default `berth`. */
  seed?: string | undefined;
  /** Print each call to stdout, as text or as a line of JSON. Default `quiet`; `text` on the command line. */
  log?: (typeof LOG_FORMATS)[number] | undefined;
  /** Maximum total size of the files of a session, in bytes. Default 256 MiB. */
  maxSessionBytes?: number | undefined;
}

export const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  env: 'dev',
  credentials: 'present',
  dynamic: false,
  seed: 'berth',
  log: 'quiet',
  maxSessionBytes: 256 * 1024 * 1024,
} satisfies MockOptions;

/** Options with defaults. `onProblem` receives errors in changed files and in hosted services. */
export type ResolvedOptions = Omit<MockOptions, 'wireProfile'> & {
  readonly [Name in keyof typeof DEFAULTS]: NonNullable<MockOptions[Name]>;
} & {
  readonly wireProfile: WireProfile;
  readonly cors: CorsOptions;
  readonly onProblem: (message: string) => void;
};

interface OptionRow extends OptionRule {
  /** The flag of the command line, as commander reads it. */
  readonly flag: string;
  readonly help: string;
  /** What the flag takes. Default: text. A flag for a list can be repeated. */
  readonly takes?: 'number' | 'list';
  /** The `requirement` of one value of a flag that can be repeated. */
  readonly flagRequirement?: string;
}

const oneOf = (values: readonly string[]) => ({
  isValid: (value: unknown) => values.some((option) => option === value),
  requirement: `one of ${values.join(', ')}`,
});

/** All options. `createMock` checks them by this table, and the command line has a flag for each row. */
export const OPTIONS: { readonly [Name in keyof MockOptions]-?: OptionRow } = {
  port: {
    flag: '--port <number>',
    help: 'port to listen on; 0 picks a free port',
    takes: 'number',
    isValid: (value) => isInteger(value, 0) && value <= 65_535,
    requirement: 'an integer from 0 to 65535',
  },
  host: {
    flag: '--host <address>',
    help: 'address to listen on; 0.0.0.0 exposes the mock to the network',
    // Without a host, Node listens on every interface.
    isValid: isText,
    requirement: "an address of this machine, such as '127.0.0.1'",
  },
  env: { flag: '--env <id>', help: 'environment to serve', ...ENVIRONMENT },
  services: {
    flag: '--services <file>',
    help: 'file that defines hosted services, such as ./services.ts; or NAME=URL or NAME=DOCUMENT (repeatable)',
    takes: 'list',
    isValid: (value) => isText(value) || isRecord(value),
    requirement: 'the path of a file, or services by name',
  },
  document: {
    flag: '[document]',
    help: 'OpenAPI document such as ./petstore.yaml to serve instead of the contract, or a draft that extends it',
    isValid: isText,
    requirement: 'the path of an OpenAPI document',
  },
  wireProfile: {
    flag: '--wire-profile <file>',
    help: "JSON file with a deployment's wire profile",
    isValid: isRecord,
    requirement: 'an object',
  },
  credentials: {
    flag: '--credentials <mode>',
    help: 'which credentials to accept: present (any) or strict (only the printed ones)',
    ...oneOf(CREDENTIALS),
  },
  faults: {
    flag: '--faults <rule>',
    help: 'faults to inject, such as latency=200 or batchDelete:code=SYS_ERR,times=2 (repeatable)',
    takes: 'list',
    isValid: (value) => isList(value, (rule) => isText(rule) || isObject(rule)),
    requirement: "a list of rules, such as ['latency=200']",
    flagRequirement: 'a rule such as latency=200',
  },
  origins: {
    flag: '--origins <origin>',
    help: "origin whose pages may read responses, or '*'; repeatable (default: this machine's origins)",
    takes: 'list',
    isValid: (value) => isList(value, (item) => item === '*' || (isText(item) && isOrigin(item))),
    requirement: "a list of origins, such as ['https://app.example.com'] or ['*']",
    flagRequirement: "an origin such as https://app.example.com, or '*'",
  },
  dynamic: {
    flag: '--dynamic',
    help: 'let Prism generate responses from the schemas instead of using examples',
    isValid: (value) => typeof value === 'boolean',
    requirement: 'true or false',
  },
  seed: {
    flag: '--seed <text>',
    help: 'seed for generated responses',
    isValid: isText,
    requirement: "a string, such as 'a'",
  },
  log: {
    flag: '--log <format>',
    help: 'how to print calls: text, json or quiet',
    ...oneOf(LOG_FORMATS),
  },
  maxSessionBytes: {
    flag: '--max-session-bytes <number>',
    help: 'maximum total bytes of the files of a session',
    takes: 'number',
    isValid: (value) => isInteger(value, 1),
    requirement: 'a positive integer',
  },
};

export type OptionName = keyof MockOptions;

/** @throws FieldError that names the invalid option */
export function resolveOptions(
  options: MockOptions,
  onProblem = (message: string) => process.emitWarning(message, 'BerthWarning'),
): ResolvedOptions {
  assertOptions(options, OPTIONS);
  const { wireProfile, origins } = options;
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...DEFAULTS,
    ...Object.fromEntries(defined),
    wireProfile: toWireProfile(wireProfile),
    cors: { origins: origins?.includes('*') ? '*' : (origins ?? isLoopbackOrigin) },
    onProblem,
  };
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}
