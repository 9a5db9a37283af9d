import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { GatewayErrorCode } from '@berth/server-stubs/contract';
import { buildConnector, Pool } from 'undici';
import type { Config } from '../config/config.ts';

type Settings = Config['environments'][string]['services'][string];

/** The codes of services that are not called, by their state. */
const CODES: Readonly<Record<Exclude<Settings['state'], 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  'resource-missing': 'SERVICE_RESOURCE_NOT_FOUND',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

/** A hosted service, as it is configured. */
interface Service {
  readonly settings: Settings;
  readonly callers: ReadonlySet<string> | undefined;
  readonly versions: readonly Version[];
}

/** One address of a service, and its connections. */
export interface Endpoint {
  readonly origin: string;
  readonly pool: Pool;
}

/** What to call. */
export interface Target {
  readonly version: Version;
  /** In the order in which to try them. */
  readonly endpoints: readonly Endpoint[];
  /** Undefined for the gateway's default. */
  readonly headersSeconds: number | undefined;
}

/** The hosted services, their versions, and the connections to their endpoints, which survive a reload. */
export class Targets {
  readonly #maxHeaderBytes: number;
  #endpoints = new Map<string, Endpoint>();
  /** By environment and name. */
  #services = new Map<string, Service>();

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /** Replaces all services. What versions count continues. */
  update(environments: Config['environments']): void {
    const [services, endpoints] = [this.#services, this.#endpoints];
    this.#services = new Map();
    this.#endpoints = new Map();
    const toEndpoint = (origin: string): Endpoint => {
      const endpoint = this.#endpoints.get(origin) ?? endpoints.get(origin) ?? this.#open(origin);
      this.#endpoints.set(origin, endpoint);
      return endpoint;
    };
    for (const [env, { services: all }] of Object.entries(environments)) {
      for (const [name, settings] of Object.entries(all)) {
        const key = `${env}/${name}`;
        this.#services.set(key, toService(settings, toEndpoint, services.get(key)));
      }
    }
    for (const [origin, { pool }] of endpoints) if (!this.#endpoints.has(origin)) close(pool);
  }

  /**
   * Chooses what a call goes to.
   *
   * @throws GatewayError if the caller may not call the service, or if it cannot be called now
   */
  choose(env: string, name: string, caller: Caller): Target {
    const service = this.#services.get(`${env}/${name}`);
    if (service === undefined) throw new GatewayError('SERVICE_NOT_FOUND');
    const { settings, callers, versions } = service;
    const { state, maxCalls, headersSeconds } = settings;
    // First, so that callers without access do not learn the service's state.
    if (callers?.has(caller.id) === false) throw new GatewayError('SERVICE_FORBIDDEN');
    if (state !== 'ready') throw new GatewayError(CODES[state]);
    const version = chooseVersion(versions);
    if (version === undefined) throw new GatewayError('SERVICE_VERSION_NOT_FOUND');
    if (version.endpoints.length === 0) throw new GatewayError('SERVICE_ENDPOINT_NOT_FOUND');
    // A slow service must not use up the memory and connections of all others.
    if (version.calls >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
    return { version, endpoints: version.takeTurn(), headersSeconds };
  }

  /** Number of calls in flight. */
  get calls(): number {
    const versions = [...this.#services.values()].flatMap((service) => service.versions);
    return versions.reduce((sum, { calls }) => sum + calls, 0);
  }

  /** Closes the connections when their calls have ended. */
  close(): void {
    for (const { pool } of this.#endpoints.values()) close(pool);
  }

  /** Services and versions that share an endpoint share its connections. */
  #open(origin: string): Endpoint {
    const pool = new Pool(origin, {
      connect: CONNECTOR,
      // Once a service has begun to respond, it may be silent for as long as it likes (D13).
      bodyTimeout: 0,
      // The call has a timer of its own.
      headersTimeout: 0,
      keepAliveTimeout: IDLE_MILLISECONDS,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
      maxHeaderSize: this.#maxHeaderBytes,
      allowH2: false,
    });
    return { origin, pool };
  }
}

/** Maximum time to connect; then another endpoint is tried. */
const CONNECT_MILLISECONDS = 5_000;

/**
 * How long a connection may be idle, unless its service announces a time. A service may close it at the moment when a
 * request is sent, and nobody knows then whether the request was processed, so a POST must not be sent again
 * (RFC 9112, section 9.3.1).
 */
const IDLE_MILLISECONDS = 1_000;

/** How long a connection may be idle, whatever its service announces. */
const MAX_IDLE_MILLISECONDS = 60_000;

const CONNECTOR = buildConnector({
  timeout: CONNECT_MILLISECONDS,
  noDelay: true,
  allowH2: false,
  // If one side of a WebSocket ends, the other may still send.
  allowHalfOpen: true,
});

function close(pool: Pool): void {
  // It also fails if it is closed already.
  pool.close().catch(() => {});
}

function toService(
  settings: Settings,
  toEndpoint: (origin: string) => Endpoint,
  old: Service | undefined,
): Service {
  const { callers, endpoints = [], versions = [{ name: '', weight: 1, endpoints }] } = settings;
  return {
    settings,
    callers: callers && new Set(callers),
    versions: versions.map(({ name, weight, endpoints }) => {
      const version = old?.versions.find((each) => each.name === name) ?? new Version(name);
      version.weight = weight;
      version.endpoints = [...new Set(endpoints)].map(toEndpoint);
      return version;
    }),
  };
}

/** One version of a service, whose endpoints are called in turn. */
export class Version {
  readonly name: string;
  weight = 0;
  endpoints: readonly Endpoint[] = [];
  /** Number of calls in flight. */
  calls = 0;
  #turn = 0;

  constructor(name: string) {
    this.name = name;
  }

  takeTurn(): readonly Endpoint[] {
    const { endpoints } = this;
    if (endpoints.length === 1) return endpoints;
    const first = this.#turn % endpoints.length;
    this.#turn = first + 1;
    return [...endpoints.slice(first), ...endpoints.slice(0, first)];
  }
}

/** Chooses a version by weight. One with the weight 0 gets no calls. */
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
