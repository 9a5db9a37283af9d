import type { ServiceState } from '../service-registry.ts';

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
