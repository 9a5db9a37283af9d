import { standardProfile, type WireProfile } from './contract/wire-profile.ts';
import type { FaultRule } from './faults/fault-rules.ts';
import { parseFaultFlag, toFaultRule } from './faults/parse-fault.ts';
import type { ServicesSource } from './services/create-services.ts';

/** What a mock lets in. */
export const AUTH_MODES = ['off', 'present', 'strict'] as const;

/** Where the answers of a mock come from. */
export const MODES = ['auto', 'static', 'dynamic'] as const;

export type AuthMode = (typeof AUTH_MODES)[number];

export type Mode = (typeof MODES)[number];

/** Base addresses of a deployment. */
export interface ProxyTargets {
  /** `{base_url}` of the contract. */
  readonly gateway: string;
  /** `{storage_api_url}` of the contract. */
  readonly storage: string;
}

/** How a mock is set up. */
export interface MockOptions {
  /** Port to listen on. Default 0: any free port. */
  port?: number | undefined;
  /** Host to listen on. Default `127.0.0.1`; `0.0.0.0` opens the mock to the network. */
  host?: string | undefined;
  /** HTTPS with a certificate that the mock makes and signs itself at its start. Default false. */
  tls?: boolean | undefined;
  /**
   * Identifier of the environment (D12). Default `dev`. A gateway call for another one is answered
   * with `INVALID_HOST`, a storage call with `INVALID_ENV`.
   */
  env?: string | undefined;
  /**
   * Where answers come from. `auto`, the default: storage acts on the files that were uploaded, the
   * gateway answers the contract's examples. `static`: both answer examples. `dynamic`: both answer what
   * is made from the schemas.
   */
  mode?: Mode | undefined;
  /** Seed of all that is drawn: the same seed brings the same answers and faults. Default: a new one. */
  seed?: string | undefined;
  /**
   * Who is let in. `off`: everybody. `present`, the default: who has credentials of the right form.
   * `strict`: who has a token or a signature that was made with the keys of `Mock.credentials`.
   */
  auth?: AuthMode | undefined;
  /**
   * Origins whose pages may read answers and open WebSockets (D11), as browsers send them:
   * `['https://app.example.com']`; `['*']` for every origin. Default: pages of this machine, which are
   * those of `localhost`, `*.localhost`, `127.0.0.1` and `[::1]` on any port.
   */
  origins?: readonly string[] | undefined;
  /**
   * The hosted services that there are; others are missing (404): the path of a folder or a file that
   * defines them, definitions by name, or names alone, which answer the contract's example. Beside those
   * that are defined there are `hello` and `echo`. Default: every name.
   */
  services?: ServicesSource | undefined;
  /**
   * Faults that every session begins with: rules, or texts as `--fault` takes them
   * (`batchDelete:code=SYS_ERR,share=0.1`). Default: none.
   */
  faults?: readonly (FaultRule | string)[] | undefined;
  /** Folder that keeps the uploaded files; it is made where it is missing. Default: they are in memory. */
  dir?: string | undefined;
  /**
   * Room for the uploaded files of all sessions together, in bytes; an upload beyond it is refused.
   * Default 256 MiB in memory, no limit in a folder.
   */
  maxStoreBytes?: number | undefined;
  /** Most sessions (`X-Mock-Session`) that are kept; the least recently used is forgotten. Default 100. */
  maxSessions?: number | undefined;
  /**
   * A real deployment that answers every call instead: its base address (`https://dev.example.com`), or
   * one for the gateway and one for storage. What passes is held against the contract and not changed.
   * Default: the mock answers itself.
   */
  proxy?: string | ProxyTargets | undefined;
  /** Folder that keeps what passes through `proxy`, one JSON file for each call. Default: nothing is kept. */
  record?: string | undefined;
  /** Folder of such files, from which every call is answered, without a network. Default: none. */
  replay?: string | undefined;
  /**
   * Own documents to serve in place of the contract's, such as the draft of a change: files, each one
   * bundled OpenAPI document of the gateway or of storage, JSON or YAML. Default: the contract.
   */
  contract?: readonly string[] | undefined;
  /** Names of the deployment that the mock stands for (D1). Default: those of the contract. */
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

/** Fills in the defaults. Throws a TypeError or RangeError that names a wrong option. */
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
  // Node listens on every interface where it is told no host.
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
    throw new TypeError('replay and proxy exclude each other: a replay needs no deployment.');
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

/** @throws TypeError for what is no origin */
function assertOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return;
  throw new TypeError(`origins must be such as https://app.example.com, which ${origin} is not.`);
}

/**
 * The addresses of the option `proxy`, whose paths end without a slash.
 *
 * @param proxy one address for both, or each its own
 * @param names of the addresses, for the error
 * @throws TypeError that names the wrong one
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
    throw new TypeError(`${name} must be an address such as https://dev.example.com.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${name} must hold no credentials: the calls bring their own.`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`${name} must have no query and no fragment.`);
  }
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end -= 1;
  return url.origin + url.pathname.slice(0, end);
}

export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}
