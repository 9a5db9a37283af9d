import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { GatewayErrorCode } from '@berth/server-stubs/contract';
import type { EnvironmentConfig } from '../config/config.ts';

type ServiceSettings = EnvironmentConfig['services'][string];

export interface ServiceVersion {
  readonly name: string;
  readonly weight: number;
  /** Origins of the instances, normalised. */
  readonly endpoints: readonly string[];
  /** False if the version's resources no longer exist (`SERVICE_RESOURCE_NOT_FOUND`). */
  readonly hasResource: boolean;
}

/** A hosted service, with everything that the gateway needs to call it. */
export interface Service extends Pick<ServiceSettings, 'maxCalls' | 'headersSeconds'> {
  readonly env: string;
  readonly name: string;
  /** In any other state than `ready`, the service is never called. */
  readonly state: ServiceSettings['state'];
  readonly versions: readonly ServiceVersion[];
  readonly callers: ReadonlySet<string> | undefined;
}

export interface Services {
  find(env: string, name: string): Service | undefined;
}

type Environments = Readonly<Record<string, Pick<EnvironmentConfig, 'services'>>>;

/**
 * Creates the services of a configuration. `prepare` returns a function that replaces all of them.
 * @throws TypeError for an invalid endpoint
 */
export function createServices(environments: Environments) {
  let services = new Map<string, Service>();
  const prepare = (next: Environments) => {
    const entries = Object.entries(next).flatMap(([env, { services: all }]) =>
      Object.entries(all).map(([name, settings]) => toService(env, name, settings)),
    );
    const prepared = new Map(entries.map((service) => [`${service.env}/${service.name}`, service]));
    return () => {
      services = prepared;
    };
  };
  prepare(environments)();
  return { find: (env: string, name: string) => services.get(`${env}/${name}`), prepare };
}

function toService(env: string, name: string, settings: ServiceSettings): Service {
  const { versions, endpoints = [], callers, ...rest } = settings;
  const all = versions ?? [{ name: 'v1', weight: 100, endpoints, hasResource: true }];
  return {
    ...rest,
    env,
    name,
    callers: callers && new Set(callers),
    versions: all.map((version) => ({
      ...version,
      endpoints: [...new Set(version.endpoints.map(toOrigin))],
    })),
  };
}

/**
 * Returns the origin of an endpoint, normalised: `http://Example:80/` becomes `http://example`.
 * @throws TypeError for anything but `http:` or `https:` with a host and optionally a port
 */
function toOrigin(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError(
      `${endpoint} is not an endpoint: use http:// or https://, a host and optionally a port.`,
    );
  }
  return url.origin;
}

const CODES: Readonly<Record<Exclude<Service['state'], 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

/**
 * Finds the service that a caller may call.
 * @throws GatewayError
 */
export function findService(
  services: Services,
  env: string,
  name: string,
  caller: Caller,
): Service {
  const service = services.find(env, name);
  if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
  const { callers, state } = service;
  // Checked first, so that callers without access do not learn the service's state.
  if (callers !== undefined && !callers.has(caller.id)) throw new GatewayError('SERVICE_FORBIDDEN');
  if (state !== 'ready') throw new GatewayError(CODES[state]);
  return service;
}

/** Chooses the version for a call, by weight. */
export function chooseVersion({ versions }: Service, random = Math.random): ServiceVersion {
  const version = pick(versions, random);
  if (version === undefined) throw new GatewayError('SERVICE_VERSION_NOT_FOUND');
  if (!version.hasResource) throw new GatewayError('SERVICE_RESOURCE_NOT_FOUND');
  if (version.endpoints.length === 0) throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND');
  return version;
}

function pick(versions: readonly ServiceVersion[], random: () => number) {
  if (versions.length === 1) return (versions[0]?.weight ?? 0) > 0 ? versions[0] : undefined;
  const weighted = versions.filter(({ weight }) => weight > 0);
  let rest = random() * weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}
