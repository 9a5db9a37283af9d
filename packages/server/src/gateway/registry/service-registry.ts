import { isDeepStrictEqual } from 'node:util';

const keyOf = ({ origin, servername }: Endpoint) => `${servername ?? ''} ${origin}`;

/** Why a service cannot be called, whatever its versions: each has an error code of its own (D6). */
export type ServiceState = 'ready' | 'not-ready' | 'forbidden' | 'overdue';

/** Where one instance of a service listens. */
export interface Endpoint {
  /** `http:` or `https:`, host and port, without a path. */
  readonly origin: string;
  /** Name that the certificate must bear, where `origin` is an address (TLS); undefined: its host. */
  readonly servername?: string;
}

/** Kept, as each of its endpoints is, for as long as nothing about it has changed. */
export interface ServiceVersion {
  readonly name: string;
  /** Share of the calls, in relation to the other versions; 0 gets none. */
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  /** How the calls are to be shared out, where not evenly: every endpoint with its weight, 0 or more. */
  readonly shares?: ReadonlyMap<Endpoint, number>;
  /** False where what the version runs on is gone (`SERVICE_RESOURCE_NOT_FOUND`). */
  readonly hasResource: boolean;
}

/** A hosted service as the gateway needs it. The same object for as long as nothing has changed. */
export interface Service {
  readonly env: string;
  readonly name: string;
  readonly state: ServiceState;
  readonly versions: readonly ServiceVersion[];
  /** Callers that may call it, by `Caller.id`; undefined lets in every caller of the environment. */
  readonly callers: ReadonlySet<string> | undefined;
  /** Calls and WebSockets that the endpoints of a version may have under way at once. Default: no limit. */
  readonly maxCalls?: number | undefined;
}

/** Knows the hosted services. */
export interface ServiceRegistry {
  /**
   * Undefined where the environment has no such service. Answers at once where it can: this is asked
   * for each call.
   *
   * @throws RegistryUnavailableError where nothing is known and the source cannot be asked
   */
  find(env: string, name: string): Service | undefined | Promise<Service | undefined>;
  close(): Promise<void>;
}

/** The source of a registry cannot be asked, and nothing it said before is there. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

interface ServiceBase {
  readonly env: string;
  readonly name: string;
  /** Default: `ready`. In any other state it is never called, and its names are not resolved. */
  readonly state?: ServiceState | undefined;
  /** Callers that may call it, by `Caller.id`. Default: every caller of the environment. */
  readonly callers?: readonly string[] | undefined;
  /** Calls and WebSockets that the endpoints of a version may have under way at once. Default: no limit. */
  readonly maxCalls?: number | undefined;
}

export interface VersionConfig {
  readonly name: string;
  /** Share of the calls, in relation to the other versions. Default: 100. */
  readonly weight?: number | undefined;
  /** Where its instances listen, such as `http://127.0.0.1:9000`. */
  readonly endpoints: readonly string[];
  /** Default: true. False answers `SERVICE_RESOURCE_NOT_FOUND`. */
  readonly hasResource?: boolean | undefined;
}

/** A service whose endpoints stand in the configuration. */
export interface StaticServiceConfig extends ServiceBase {
  readonly versions: readonly VersionConfig[];
}

export interface DnsSource {
  /** `A`: the addresses of the name, IPv4 or else IPv6. `SRV`: the hosts and ports it leads to. */
  readonly type: 'A' | 'SRV';
  /** Asked as it stands: no search domain is appended. */
  readonly name: string;
  /** Port of every address. Needed with `A`; with `SRV` the records say it. */
  readonly port?: number | undefined;
  /** Default: `http`. With `https` a certificate must bear the name (`A`) or the target's (`SRV`). */
  readonly scheme?: 'http' | 'https' | undefined;
}

/** A service whose endpoints come from DNS, as Kubernetes headless services give them. */
export interface DnsServiceConfig extends ServiceBase {
  readonly dns: DnsSource;
}

export type ServiceConfig = StaticServiceConfig | DnsServiceConfig;

interface Row<Config, Entry> {
  readonly config: Config;
  readonly entry: Entry;
}

/** Entries by environment and name, made from configurations. */
interface ServiceTable<Config, Entry> {
  get(env: string, name: string): Entry | undefined;
  /**
   * Makes the entries of new and changed configurations, and keeps the others as they are. Nothing has
   * changed until the returned function is called, so that a bad configuration leaves the old in force.
   */
  prepare(configs: readonly Config[]): () => void;
}

export function createServiceTable<Config extends { env: string; name: string }, Entry>(
  make: (config: Config, previous: Entry | undefined) => Entry,
): ServiceTable<Config, Entry> {
  type Rows = Map<string, Map<string, Row<Config, Entry>>>;
  let rows: Rows = new Map();

  const toRow = (config: Config): Row<Config, Entry> => {
    const previous = rows.get(config.env)?.get(config.name);
    if (previous !== undefined && isDeepStrictEqual(previous.config, config)) return previous;
    return { config, entry: make(config, previous?.entry) };
  };

  return {
    get: (env, name) => rows.get(env)?.get(name)?.entry,
    prepare(configs) {
      const next: Rows = new Map();
      for (const config of configs) {
        const services = next.get(config.env) ?? new Map<string, Row<Config, Entry>>();
        next.set(config.env, services);
        if (services.has(config.name)) {
          throw new TypeError(`Service ${config.name} of ${config.env} is configured twice.`);
        }
        services.set(config.name, toRow(config));
      }
      return () => {
        rows = next;
      };
    },
  };
}

/** Gives back the endpoint of `versions` that is the same, so that what is known of it is not lost. */
export function reuseEndpoints(
  versions: readonly ServiceVersion[],
): (endpoint: Endpoint) => Endpoint {
  const known = new Map<string, Endpoint>();
  for (const { endpoints } of versions) {
    for (const endpoint of endpoints) known.set(keyOf(endpoint), endpoint);
  }
  return (endpoint) => {
    const same = known.get(keyOf(endpoint));
    if (same !== undefined) return same;
    known.set(keyOf(endpoint), endpoint);
    return endpoint;
  };
}

/** Gives back the version of `versions` that is the same. */
export function reuseVersion(
  versions: readonly ServiceVersion[],
  version: ServiceVersion,
): ServiceVersion {
  return versions.find((known) => isDeepStrictEqual(known, version)) ?? version;
}
