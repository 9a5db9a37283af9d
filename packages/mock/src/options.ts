import { standardProfile, type WireProfile } from './contract/wire-profile.ts';
import type { FaultRule } from './faults/fault-rules.ts';
import { parseFaultFlag, toFaultRule } from './faults/parse-fault.ts';
import type { ServicesSource } from './services/create-services.ts';

/** Which credentials a mock accepts. */
export const AUTH_MODES = ['off', 'present', 'strict'] as const;

/** Source of a mock's responses. */
export const MODES = ['auto', 'static', 'dynamic'] as const;

export type AuthMode = (typeof AUTH_MODES)[number];

export type Mode = (typeof MODES)[number];

/** Base URLs of a deployment. */
export interface ProxyTargets {
  /** `{base_url}` of the contract. */
  readonly gateway: string;
  /** `{storage_api_url}` of the contract. */
  readonly storage: string;
}

/** Options of a mock. */
export interface MockOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined;
  /** Host to listen on. Default `127.0.0.1`; `0.0.0.0` exposes the mock to the network. */
  host?: string | undefined;
  /** Serves HTTPS with a self-signed certificate, created at start. Default false. */
  tls?: boolean | undefined;
  /**
   * Identifier of the environment (D12). Default `dev`. A gateway call for another one fails with
   * `INVALID_HOST`, a storage call with `INVALID_ENV`.
   */
  env?: string | undefined;
  /**
   * Source of responses. `auto`, the default: storage works on the uploaded files, the gateway returns the
   * contract's examples. `static`: both return examples. `dynamic`: both generate responses from the schemas.
   */
  mode?: Mode | undefined;
  /**
   * Seed for generated responses and random faults: the same seed gives the same ones. Default: a random
   * seed.
   */
  seed?: string | undefined;
  /**
   * Which credentials to accept. `off`: none are needed. `present`, the default: any of the right form.
   * `strict`: tokens and signatures made with the keys of `Mock.credentials`.
   */
  auth?: AuthMode | undefined;
  /**
   * Origins whose pages may read responses and open WebSockets (D11), as browsers send them:
   * `['https://app.example.com']`; `['*']` for every origin. Default: origins of this machine: `localhost`,
   * `*.localhost`, `127.0.0.1` and `[::1]` on any port.
   */
  origins?: readonly string[] | undefined;
  /**
   * Hosted services of the mock; all others are missing (404): the path of a folder or a file that defines
   * them, definitions by name, or only names, which respond with the contract's example. `hello` and `echo`
   * exist in addition to defined services. Default: any name exists.
   */
  services?: ServicesSource | undefined;
  /**
   * Faults of every new session: rules, or texts in the format of `--fault`
   * (`batchDelete:code=SYS_ERR,share=0.1`). Default: none.
   */
  faults?: readonly (FaultRule | string)[] | undefined;
  /** Folder to store uploaded files in, created if missing. Default: they are kept in memory. */
  dir?: string | undefined;
  /**
   * Maximum size of the uploaded files of all sessions together, in bytes; an upload beyond it is refused.
   * Default 256 MiB in memory, no limit in a folder.
   */
  maxStoreBytes?: number | undefined;
  /** Maximum number of sessions (`X-Mock-Session`); the least recently used is dropped. Default 100. */
  maxSessions?: number | undefined;
  /**
   * A real deployment that handles every call: its base URL (`https://dev.example.com`), or one for the
   * gateway and one for storage. Requests and responses are checked against the contract and not changed.
   * Default: the mock responds itself.
   */
  proxy?: string | ProxyTargets | undefined;
  /** Folder to record the calls of `proxy` in, one JSON file per call. Default: nothing is recorded. */
  record?: string | undefined;
  /** Folder of recordings to serve responses from, without a network. Default: none. */
  replay?: string | undefined;
  /**
   * Custom documents to serve in place of the contract's, such as the draft of a change: files, each one
   * bundled OpenAPI document of the gateway or of storage, JSON or YAML. Default: the contract.
   */
  contract?: readonly string[] | undefined;
  /** Names on the wire of the deployment to imitate (D1). Default: those of the contract. */
  wireProfile?: WireProfile | undefined;
}

type Optional = 'origins' | 'contract' | 'services' | 'dir' | 'record' | 'replay';

export type ResolvedOptions = {
  [Name in Exclude<keyof MockOptions, Optional | 'proxy' | 'faults'>]-?: NonNullable<
    MockOptions[Name]
  >;
} & Pick<MockOptions, Optional> & {
    readonly proxy: ProxyTargets | undefined;
    readonly faults: readonly FaultRule[];
  };

/** Applies the defaults. Throws a TypeError or RangeError that names an invalid option. */
export function resolveOptions(options: MockOptions): ResolvedOptions {
  const { port = 0, host = '127.0.0.1', tls = false, env = 'dev', services, dir } = options;
  const { origins, faults = [], proxy, record, replay, contract } = options;
  const { mode = 'auto', auth = 'present', wireProfile = standardProfile } = options;
  const { seed = Math.random().toString(36).slice(2), maxSessions = 100 } = options;
  const { maxStoreBytes = dir === undefined ? 256 * 1024 * 1024 : Number.MAX_SAFE_INTEGER } =
    options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError('port must be a whole number from 0 to 65535.');
  }
  // Without a host, Node listens on every interface.
  if (host === '') throw new TypeError('host must be an address of this machine.');
  if (!isEnv(env)) {
    throw new TypeError(
      'env must be one label of a host name: letters, digits and hyphens, at most 63.',
    );
  }
  assertOneOf('mode', mode, MODES);
  assertOneOf('auth', auth, AUTH_MODES);
  if (record !== undefined && proxy === undefined) {
    throw new TypeError('record needs proxy: only what passes to a deployment is recorded.');
  }
  if (replay !== undefined && proxy !== undefined) {
    throw new TypeError('replay and proxy cannot be combined: a replay does not use a deployment.');
  }
  origins?.forEach(assertOrigin);
  assertPositive('maxStoreBytes', maxStoreBytes);
  assertPositive('maxSessions', maxSessions);
  return {
    port,
    host,
    tls,
    env,
    mode,
    seed,
    auth,
    origins,
    services,
    faults: toFaultRules(faults),
    dir,
    proxy: proxy === undefined ? undefined : toProxyTargets(proxy),
    record,
    replay,
    maxStoreBytes,
    maxSessions,
    contract,
    wireProfile,
  };
}

function assertOneOf(name: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new TypeError(`${name} must be one of ${known.join(', ')}.`);
}

function assertPositive(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new RangeError(`${name} must be a whole number of at least 1.`);
  }
}

function toFaultRules(faults: NonNullable<MockOptions['faults']>): FaultRule[] {
  return faults.map((fault, index) =>
    typeof fault === 'string'
      ? parseFaultFlag(`fault-${index + 1}`, fault)
      : toFaultRule(fault.name, fault, `faults[${index}].`),
  );
}

/** D12: the environment is "the first label of the host name" (RFC 1123, section 2.1). */
export function isEnv(env: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(env);
}

/** @throws TypeError if it is not an origin */
function assertOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return;
  throw new TypeError(`origins must be origins such as https://app.example.com, got "${origin}".`);
}

/**
 * The base URLs of the option `proxy`, without a trailing slash.
 *
 * @param proxy one URL for both, or one each
 * @param names of the URLs, for the error
 * @throws TypeError that names the invalid one
 */
export function toProxyTargets(
  proxy: string | ProxyTargets,
  names: ProxyTargets = { gateway: 'proxy.gateway', storage: 'proxy.storage' },
): ProxyTargets {
  const { gateway, storage } =
    typeof proxy === 'string' ? { gateway: proxy, storage: proxy } : proxy;
  return {
    gateway: toBase(names.gateway, gateway),
    storage: toBase(names.storage, storage),
  };
}

function toBase(name: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isHttp(url)) {
    throw new TypeError(`${name} must be a URL such as https://dev.example.com.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${name} must not contain credentials: the calls send their own.`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`${name} must not have a query or a fragment.`);
  }
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end -= 1;
  return url.origin + url.pathname.slice(0, end);
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
