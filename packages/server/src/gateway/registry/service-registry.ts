import type { EnvironmentConfig } from '../../config/config.ts';

export type ServiceSettings = EnvironmentConfig['services'][string];

export interface Endpoint {
  readonly origin: string;
  /** Name of the service, for `Host` and TLS, if `origin` is an IP address. Default: the host of `origin`. */
  readonly servername?: string;
}

export interface ServiceVersion {
  readonly name: string;
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  /** How to distribute the calls, if not evenly: every endpoint with its weight, 0 or more. */
  readonly shares?: ReadonlyMap<Endpoint, number>;
  /** False if the version's resources no longer exist (`SERVICE_RESOURCE_NOT_FOUND`). */
  readonly hasResource: boolean;
}

/**
 * A hosted service, with everything that the gateway needs to call it. The registry returns the same object
 * until the service changes.
 */
export interface Service
  extends Partial<
    Pick<ServiceSettings, 'maxCalls' | 'perEndpoint' | 'timeouts' | 'health' | 'startSeconds'>
  > {
  readonly env: string;
  readonly name: string;
  /** In any other state than `ready`, the service is never called and its names are not resolved. */
  readonly state: ServiceSettings['state'];
  readonly versions: readonly ServiceVersion[];
  readonly callers: ReadonlySet<string> | undefined;
}

export interface ServiceRegistry {
  /**
   * Returns undefined if the environment has no such service. Synchronous if possible, because it runs for
   * each call.
   * @throws RegistryUnavailableError if nothing is known and the source cannot be queried
   */
  find(env: string, name: string): Service | undefined | Promise<Service | undefined>;
}

/** Thrown if a registry's source cannot be queried and no earlier response can be used. */
export class RegistryUnavailableError extends Error {
  override readonly name = 'RegistryUnavailableError';
}
