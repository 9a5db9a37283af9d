import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
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

interface Service {
  readonly settings: ServiceSettings;
  readonly versions: readonly Version[];
}

/** The hosted services, their versions, and the connections to their endpoints, which survive a reload. */
export class Targets {
  readonly #maxHeaderBytes: number;
  #endpoints = new Map<string, Endpoint>();
  #services = new Map<string, ReadonlyMap<string, Service>>();

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /**
   * Endpoints that are no longer used are kept for their calls in flight, which still count if another update names
   * them again. Their idle connections close by themselves.
   */
  update(environments: Config['environments']): void {
    const known = this.#endpoints;
    this.#services = new Map();
    this.#endpoints = new Map([...known].filter(([, { activeCalls }]) => activeCalls > 0));
    for (const [env, { services }] of Object.entries(environments)) {
      const entries = Object.entries(services);
      const toEntry = ([name, settings]: (typeof entries)[number]) =>
        [name, this.#toService(settings, known)] as const;
      this.#services.set(env, new Map(entries.map(toEntry)));
    }
  }

  /**
   * Chooses the endpoints for a call, in the order in which to try them.
   * @throws GatewayError if the caller may not call the service, or if it cannot be called now
   */
  choose(env: string, name: string, caller: Caller) {
    const service = this.#services.get(env)?.get(name);
    if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    const { settings, versions } = service;
    const { state, callers, maxCalls, headersSeconds } = settings;
    // First, so that callers without access do not learn the service's state.
    if (callers?.includes(caller.id) === false) throw new GatewayError('SERVICE_FORBIDDEN');
    if (state !== 'ready') throw new GatewayError(CODES[state]);
    const version = chooseVersion(versions);
    if (version === undefined) throw new GatewayError('SERVICE_VERSION_NOT_FOUND');
    if (version.endpoints.length === 0) throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND');
    // A slow service must not use up the memory and connections of all others. On a shared endpoint, calls of other
    // services count as well, because they use the same instances.
    if (version.activeCalls >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
    return { version: version.name, endpoints: version.takeTurn(), headersSeconds };
  }

  get activeCalls(): number {
    return [...this.#endpoints.values()].reduce((sum, { activeCalls }) => sum + activeCalls, 0);
  }

  close(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.close();
  }

  #toService(settings: ServiceSettings, known: ReadonlyMap<string, Endpoint>): Service {
    const { endpoints = [], versions = [{ name: undefined, weight: 1, endpoints }] } = settings;
    // Services and versions that share an endpoint share its connections.
    const toEndpoint = (origin: string) => {
      const shared = this.#endpoints.get(origin) ?? known.get(origin);
      const endpoint = shared ?? new Endpoint(origin, this.#maxHeaderBytes);
      this.#endpoints.set(origin, endpoint);
      return endpoint;
    };
    const toVersion = ({ name, weight, endpoints }: (typeof versions)[number]) =>
      new Version(name, weight, [...new Set(endpoints)].map(toEndpoint));
    return { settings, versions: versions.map(toVersion) };
  }
}

/** One version of a service, whose endpoints are called in turn. */
class Version {
  /** For the log; undefined if it is the only version. */
  readonly name: string | undefined;
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  #next = 0;

  constructor(name: string | undefined, weight: number, endpoints: readonly Endpoint[]) {
    this.name = name;
    this.weight = weight;
    this.endpoints = endpoints;
  }

  get activeCalls(): number {
    let sum = 0;
    for (const { activeCalls } of this.endpoints) sum += activeCalls;
    return sum;
  }

  takeTurn(): readonly Endpoint[] {
    const { endpoints } = this;
    if (endpoints.length === 1) return endpoints;
    const first = this.#next;
    this.#next = (first + 1) % endpoints.length;
    return [...endpoints.slice(first), ...endpoints.slice(0, first)];
  }
}

function chooseVersion(versions: readonly Version[]): Version | undefined {
  const [first] = versions;
  if (versions.length === 1 && first !== undefined && first.weight > 0) return first;
  const weighted = versions.filter(({ weight }) => weight > 0);
  let rest = Math.random() * weighted.reduce((sum, { weight }) => sum + weight, 0);
  return weighted.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}
