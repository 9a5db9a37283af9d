import { inspect } from 'node:util';
import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { type FaultRule, parseFaultRule } from './faults/fault-rules.ts';
import type { ServicesSource } from './services/create-services.ts';
import { isObject } from './util/values.ts';

/** The values of `auth`, which determine which credentials a mock accepts. */
export const AUTH_MODES = ['present', 'strict'] as const;

type AuthMode = (typeof AUTH_MODES)[number];

/** Options for `createMock`. */
export interface MockOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined;
  /** Host to listen on. Default `127.0.0.1`; `0.0.0.0` exposes the mock to the network. */
  host?: string | undefined;
  /**
   * ID of the environment (D12). Default `dev`. Gateway calls to any other environment fail with
   * `INVALID_HOST`, storage calls with `INVALID_ENV`.
   */
  env?: string | undefined;
  /** Let Prism generate responses from the schemas instead of using examples. Default false. */
  dynamic?: boolean | undefined;
  /**
   * Seed for generated responses: the same seed produces the same responses. Default: a random seed.
   */
  seed?: string | undefined;
  /**
   * Which credentials to accept. `present`, the default, accepts any that are well-formed. `strict` requires
   * tokens and signatures made with the keys in `Mock.credentials`.
   */
  auth?: AuthMode | undefined;
  /**
   * Origins whose pages may read responses and open WebSockets (D11), in the form that browsers send:
   * `['https://app.example.com']`, or `['*']` for every origin. Default: this machine's origins, which are
   * `localhost`, `*.localhost`, `127.0.0.1` and `[::1]` on any port.
   */
  origins?: readonly string[] | undefined;
  /**
   * Hosted services: the path of a folder or file that defines them, or definitions by name. Calls to any other
   * service get a 404, except to `hello` and `echo`, which are always available. Default: every service name
   * exists, and responds with the contract's example.
   */
  services?: ServicesSource | undefined;
  /**
   * Any OpenAPI document to serve at the root instead of the contract: the path of a file in JSON or YAML.
   * Calls need no credentials. Default: none.
   */
  document?: string | undefined;
  /**
   * Faults in every new session: rules, or strings in the format of `--fault`
   * (`batchDelete:code=SYS_ERR,times=2`). Default: none.
   */
  faults?: readonly (FaultRule | string)[] | undefined;
  /**
   * Maximum total size of uploaded files in all sessions, in bytes; uploads that exceed it are rejected.
   * Default 256 MiB.
   */
  maxStoreBytes?: number | undefined;
  /** Wire names of the deployment to imitate (D1). Default: the contract's names. */
  wireProfile?: WireProfileInput | undefined;
}

const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  env: 'dev',
  auth: 'present',
  dynamic: false,
  maxStoreBytes: 256 * 1024 * 1024,
} satisfies MockOptions;

type Defaulted = keyof typeof DEFAULTS | 'seed';

export type ResolvedOptions = Omit<MockOptions, 'faults' | 'wireProfile'> & {
  readonly [Name in Defaulted]: NonNullable<MockOptions[Name]>;
} & { readonly faults: readonly FaultRule[]; readonly wireProfile: WireProfile };

/**
 * Validates the options and applies the defaults. Throws a TypeError or RangeError that names the invalid
 * option.
 */
export function resolveOptions(options: MockOptions): ResolvedOptions {
  assertTypes(options);
  const { host, env, document, origins, faults = [] } = options;
  // Without a host, Node listens on every interface.
  if (host === '') throw new TypeError('host must be an address of this machine.');
  if (env !== undefined && !isEnv(env)) {
    throw new TypeError(
      'env must be a single host name label: letters, digits and hyphens, at most 63 characters.',
    );
  }
  if (document !== undefined) assertAlone(options);
  origins?.forEach(assertOrigin);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...DEFAULTS,
    seed: Math.random().toString(36).slice(2),
    ...Object.fromEntries(given),
    faults: toFaultRules(faults),
    wireProfile: toWireProfile(options.wireProfile),
  };
}

const isText = (value: unknown) => typeof value === 'string';
const isPath = (value: unknown) => isText(value) && value !== '';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isListOf = (isItem: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isItem);
const isRule = (value: unknown) => isText(value) || isObject(value);
const isSource = (value: unknown) => isPath(value) || isObject(value);
const isPort = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535;
const isPositive = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isOneOf = (known: readonly unknown[]) => (value: unknown) => known.includes(value);

/** What an option must be. JavaScript callers can pass anything. Errors of a given class do not repeat it. */
const TYPES: {
  readonly [Name in keyof MockOptions]: readonly [
    isValid: (value: unknown) => boolean,
    is: string,
    Fault?: ErrorConstructor,
  ];
} = {
  port: [isPort, 'an integer from 0 to 65535', RangeError],
  maxStoreBytes: [isPositive, 'a positive integer', RangeError],
  auth: [isOneOf(AUTH_MODES), `one of ${AUTH_MODES.join(', ')}`, TypeError],
  host: [isText, "an address of this machine, such as '127.0.0.1'"],
  dynamic: [isFlag, 'true or false'],
  env: [isText, "a host name label, such as 'dev'"],
  seed: [isText, "a string, such as 'a'"],
  origins: [isListOf(isText), "a list of origins, such as ['https://app.example.com']"],
  services: [isSource, 'the path of a folder or file, or definitions by name'],
  document: [isPath, 'the path of an OpenAPI document'],
  faults: [isListOf(isRule), "a list of rules, such as ['latency=200']"],
};

/** @throws TypeError that names an option with a value of the wrong type */
function assertTypes(options: MockOptions): void {
  if (!isObject(options))
    throw new TypeError('The options must be an object, such as { port: 4010 }.');
  for (const [name, [isValid, is, Fault]] of Object.entries(TYPES)) {
    const value = options[name as keyof MockOptions];
    if (value === undefined || isValid(value)) continue;
    if (Fault !== undefined) throw new Fault(`${name} must be ${is}.`);
    throw new TypeError(
      `${name} must be ${is}, got ${inspect(value, { depth: 0, maxStringLength: 100 })}.`,
    );
  }
}

function assertAlone(options: MockOptions): void {
  const other = (['services', 'auth'] as const).find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new TypeError(
    `document and ${other} cannot be combined: the mock serves only the document, to every caller.`,
  );
}

function toFaultRules(faults: NonNullable<MockOptions['faults']>): FaultRule[] {
  return faults.map((fault, index) =>
    typeof fault === 'string'
      ? parseFaultRule(`fault-${index + 1}`, fault)
      : parseFaultRule(fault.name, fault, { place: `faults[${index}].` }),
  );
}

/**
 * Returns whether a text is a valid environment name. D12: "The first label of the host name is the
 * environment" (RFC 1123, section 2.1).
 */
export function isEnv(env: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(env);
}

/** @throws TypeError if it is not an origin */
function assertOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return;
  throw new TypeError(`origins must be origins such as https://app.example.com, got "${origin}".`);
}
