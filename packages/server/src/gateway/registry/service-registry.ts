import type { Judge } from '@berth/server-stubs/service-document';
import type { ParsedService } from '../../config/config.ts';

/**
 * The reason why a service cannot be called, regardless of its versions. Each state has its own error code
 * (D6).
 */
export type ServiceState = 'ready' | 'not-ready' | 'forbidden' | 'overdue';

/** The address of a service instance. */
export interface Endpoint {
  /** `http:` or `https:`, host and port, without a path. */
  readonly origin: string;
  /** Name of the service, for `Host` and TLS, if `origin` is an IP address. Default: the host of `origin`. */
  readonly servername?: string;
}

export interface ServiceVersion {
  readonly name: string;
  /** Weight relative to the other versions; a version with 0 gets no calls. */
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  /** How to distribute the calls, if not evenly: every endpoint with its weight, 0 or more. */
  readonly shares?: ReadonlyMap<Endpoint, number>;
  /** False if the version's resources no longer exist (`SERVICE_RESOURCE_NOT_FOUND`). */
  readonly hasResource: boolean;
}

/** The settings of a service that limit its calls. By default, nothing does. */
type ServiceLimits = Partial<
  Pick<ParsedService, 'maxCalls' | 'perEndpoint' | 'timeouts' | 'health' | 'startSeconds'>
>;

/**
 * A hosted service, with everything that the gateway needs to call it. The registry returns the same object
 * until the service changes.
 */
export interface Service extends ServiceLimits {
  readonly env: string;
  readonly name: string;
  readonly state: ServiceState;
  readonly versions: readonly ServiceVersion[];
  /** Callers that may call it, by `Caller.id`; undefined allows every caller in the environment. */
  readonly callers: ReadonlySet<string> | undefined;
  readonly contract?: ServiceContract | undefined;
}

/** The OpenAPI document of a service, against which its calls are validated. */
export interface ServiceContract {
  readonly judge: Judge;
  /** What happens to responses that violate the document. */
  readonly responses: 'off' | 'report' | 'refuse';
}

/** Finds hosted services. */
export interface ServiceRegistry {
  /**
   * Returns undefined if the environment has no such service. Synchronous if possible, because it runs for
   * each call.
   *
   * @throws RegistryUnavailableError if nothing is known and the source cannot be queried
   */
  find(env: string, name: string): Service | undefined | Promise<Service | undefined>;
  close(): Promise<void>;
}

/** Thrown if a registry's source cannot be queried and no earlier response can be used. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}

interface ServiceBase extends ServiceLimits {
  readonly env: string;
  readonly name: string;
  /** Default: `ready`. In any other state, the service is never called and its names are not resolved. */
  readonly state?: ServiceState | undefined;
  /** Callers that may call it, by `Caller.id`. Default: every caller in the environment. */
  readonly callers?: readonly string[] | undefined;
  readonly contract?: ServiceContract | undefined;
}

export interface VersionConfig {
  readonly name: string;
  /** Weight relative to the other versions. Default: 100. */
  readonly weight?: number | undefined;
  /** URLs of the instances, such as `http://127.0.0.1:9000`. */
  readonly endpoints: readonly string[];
  /** Default: true. If false, calls fail with `SERVICE_RESOURCE_NOT_FOUND`. */
  readonly hasResource?: boolean | undefined;
}

/** A service whose endpoints are listed in the configuration. */
interface StaticServiceConfig extends ServiceBase {
  readonly versions: readonly VersionConfig[];
}

export interface DnsSource {
  /**
   * `A`: the addresses of the name, IPv4 if it has any, otherwise IPv6. `SRV`: the hosts and ports it points
   * to.
   */
  readonly type: 'A' | 'SRV';
  /** Resolved as is: no search domain is appended. */
  readonly name: string;
  /** Port for every address. Required with `A`; `SRV` records contain their own. */
  readonly port?: number | undefined;
  /** Default: `http`. With `https`, certificates must be valid for the name, without `_service._proto`. */
  readonly scheme?: 'http' | 'https' | undefined;
}

/** A service whose endpoints come from DNS, such as a Kubernetes headless service. */
export interface DnsServiceConfig extends ServiceBase {
  readonly dns: DnsSource;
}

export type ServiceConfig = StaticServiceConfig | DnsServiceConfig;
