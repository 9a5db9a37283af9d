import { GatewayError } from '@berth/server-stubs';
import type { GatewayErrorCode } from '@berth/server-stubs/contract';
import type { Config } from '../config/config.ts';
import { Endpoint } from './endpoint.ts';

type ServiceSettings = Config['environments'][string]['services'][string];

const CODES: Readonly<Record<Exclude<ServiceSettings['state'], 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  'resource-missing': 'SERVICE_RESOURCE_NOT_FOUND',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

/** One version of a service, whose endpoints are called in turn. */
interface Version {
  /** For the log; undefined if it is the only version. */
  readonly name: string | undefined;
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  /** Index of the endpoint for the next call. */
  next: number;
}

/** Where to send a call. */
export interface Target {
  /** Name of the version, for the log. */
  readonly version: string | undefined;
  /** In the order in which to try them. */
  readonly endpoints: readonly Endpoint[];
  readonly headersSeconds: number | undefined;
}

export type EndpointPool = ReturnType<typeof createEndpointPool>;

/**
 * Keeps the endpoints of all services, which share the connections to an endpoint that several of them use. One that a
 * reload removes costs a few bytes, and counts its calls in flight if another reload brings it back.
 */
export function createEndpointPool() {
  const known = new Map<string, Endpoint>();
  return {
    get(origin: string): Endpoint {
      const endpoint = known.get(origin) ?? new Endpoint(origin);
      known.set(origin, endpoint);
      return endpoint;
    },
    /** Returns the number of calls in flight. */
    countActiveCalls: () => countCalls(known.values()),
    /** Closes the idle connections. Calls in flight finish on their own. */
    close(): void {
      for (const endpoint of known.values()) endpoint.close();
    },
  };
}

/**
 * Creates a function that chooses the target for a call of a hosted service. It gets the ID of the caller, and throws a
 * GatewayError if the service may not, or cannot, be called.
 */
export function createChooseTarget(environments: Config['environments'], pool: EndpointPool) {
  const services = mapValues(environments, (environment) =>
    mapValues(environment.services, (settings) => toService(settings, pool)),
  );
  return (env: string, name: string, caller: string): Target => {
    const service = services.get(env)?.get(name);
    if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    const { settings, versions } = service;
    const { state, callers, maxCalls, headersSeconds } = settings;
    // First, so that callers without access do not learn the service's state.
    if (callers?.includes(caller) === false) throw new GatewayError('SERVICE_FORBIDDEN');
    if (state !== 'ready') throw new GatewayError(CODES[state]);
    const version = chooseVersion(versions);
    if (version === undefined) throw new GatewayError('SERVICE_VERSION_NOT_FOUND');
    if (version.endpoints.length === 0) throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND');
    // A slow service must not use up the memory and connections of all others. On a shared endpoint, calls of other
    // services count as well, because they use the same instances.
    if (countCalls(version.endpoints) >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
    return { version: version.name, endpoints: rotate(version), headersSeconds };
  };
}

function mapValues<In, Out>(values: Readonly<Record<string, In>>, toOut: (value: In) => Out) {
  return new Map(Object.entries(values).map(([name, value]) => [name, toOut(value)]));
}

function toService(settings: ServiceSettings, pool: EndpointPool) {
  const only = { name: undefined, weight: 1, endpoints: settings.endpoints ?? [] };
  const listed = settings.versions ?? [only];
  const versions: readonly Version[] = listed.map(({ name, weight, endpoints }) => ({
    name,
    weight,
    endpoints: [...new Set(endpoints)].map((origin) => pool.get(origin)),
    next: 0,
  }));
  return { settings, versions };
}

function rotate(version: Version): readonly Endpoint[] {
  const { endpoints, next } = version;
  if (endpoints.length === 1) return endpoints;
  version.next = (next + 1) % endpoints.length;
  return [...endpoints.slice(next), ...endpoints.slice(0, next)];
}

function chooseVersion(versions: readonly Version[]): Version | undefined {
  const total = versions.reduce((sum, { weight }) => sum + weight, 0);
  let remaining = Math.random() * total;
  for (const version of versions) {
    remaining -= version.weight;
    if (remaining < 0) return version;
  }
  return undefined;
}

function countCalls(endpoints: Iterable<Endpoint>): number {
  let sum = 0;
  for (const { activeCalls } of endpoints) sum += activeCalls;
  return sum;
}
