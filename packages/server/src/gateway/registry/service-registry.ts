/** Why a service cannot be called, whatever its versions: each has an error code of its own (D6). */
export type ServiceState = 'ready' | 'not-ready' | 'forbidden' | 'overdue';

/** Where one instance of a service listens. */
export interface Endpoint {
  /** `http:` or `https:`, host and port, without a path. */
  readonly origin: string;
  /** Name that the certificate must bear, where `origin` is an address (TLS); undefined: its host. */
  readonly servername?: string;
}

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

/** A hosted service as the gateway needs it. The same object until something changes or is reloaded. */
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
interface StaticServiceConfig extends ServiceBase {
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
