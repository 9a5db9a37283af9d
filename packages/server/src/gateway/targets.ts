import { GatewayError } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { GatewayErrorCode } from '@berth/server-stubs/contract';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Config } from '../config/config.ts';

type Settings = Config['environments'][string]['services'][string];

/** The codes of services that are not called, by their state. */
const CODES: Readonly<Record<Exclude<Settings['state'], 'ready'>, GatewayErrorCode>> = {
  'not-ready': 'SERVICE_NOT_READY',
  'resource-missing': 'SERVICE_RESOURCE_NOT_FOUND',
  forbidden: 'SERVICE_FORBIDDEN',
  overdue: 'SERVICE_CHARGE_OVERDUE',
};

interface Service {
  readonly settings: Settings;
  readonly callers: ReadonlySet<string> | undefined;
  readonly versions: readonly Version[];
}

/** What to call: the endpoints of a version, in the order in which to try them. */
export interface Target {
  readonly endpoints: readonly Endpoint[];
  /** Undefined for the gateway's default. */
  readonly headersSeconds: number | undefined;
}

/** The hosted services, their versions, and the connections to their endpoints, which survive a reload. */
export class Targets {
  readonly #maxHeaderBytes: number;
  readonly #endpoints = new Map<string, Endpoint>();
  #services = new Map<string, ReadonlyMap<string, Service>>();

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  update(environments: Config['environments']): void {
    this.#services = new Map();
    for (const [env, { services }] of Object.entries(environments)) {
      const entries = Object.entries(services);
      this.#services.set(env, new Map(entries.map(([name, all]) => [name, this.#toService(all)])));
    }
    this.#dropUnused();
  }

  /**
   * Chooses what a call goes to.
   *
   * @throws GatewayError if the caller may not call the service, or if it cannot be called now
   */
  choose(env: string, name: string, caller: Caller): Target {
    const service = this.#services.get(env)?.get(name);
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
    if (version.activeCalls >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
    return { endpoints: version.takeTurn(), headersSeconds };
  }

  get activeCalls(): number {
    return [...this.#endpoints.values()].reduce((sum, { activeCalls }) => sum + activeCalls, 0);
  }

  close(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.close();
  }

  /** An endpoint with a call in flight is dropped by a later update. */
  #dropUnused(): void {
    const services = [...this.#services.values()].flatMap((byName) => [...byName.values()]);
    const versions = services.flatMap((service) => service.versions);
    const used = new Set(versions.flatMap(({ endpoints }) => endpoints));
    for (const [origin, endpoint] of this.#endpoints) {
      if (used.has(endpoint) || endpoint.activeCalls > 0) continue;
      endpoint.close();
      this.#endpoints.delete(origin);
    }
  }

  #toService(settings: Settings): Service {
    const { callers, endpoints = [], versions = [{ weight: 1, endpoints }] } = settings;
    const toEndpoints = (origins: readonly string[]) =>
      [...new Set(origins)].map((origin) => this.#endpointOf(origin));
    return {
      settings,
      callers: callers && new Set(callers),
      versions: versions.map((each) => new Version(each.weight, toEndpoints(each.endpoints))),
    };
  }

  /** Services and versions that share an endpoint share its connections. */
  #endpointOf(origin: string): Endpoint {
    const known = this.#endpoints.get(origin);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(origin, this.#maxHeaderBytes);
    this.#endpoints.set(origin, endpoint);
    return endpoint;
  }
}

/** One version of a service, whose endpoints are called in turn. */
class Version {
  readonly weight: number;
  readonly endpoints: readonly Endpoint[];
  #next = 0;

  constructor(weight: number, endpoints: readonly Endpoint[]) {
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

/** Maximum time to connect; then another endpoint is tried. */
const CONNECT_MILLISECONDS = 5_000;

/** How long a connection may be idle, whatever its service announces. */
const MAX_IDLE_MILLISECONDS = 60_000;

/** Maximum number of idle connections to an endpoint. */
const MAX_IDLE = 256;

/**
 * A service may close a connection at the moment when a request is sent on it. Nobody knows then whether the request
 * was processed, so a POST must not be sent again (RFC 9112, section 9.3.1). A POST therefore reuses a connection only
 * for as long as its endpoint has been seen to keep connections open.
 */
const PROVEN_IDLE_MILLISECONDS = 1_000;

/** Which connections a call may use: any, one that is certainly open, or only a new one. */
export type Reuse = 'any' | 'certain' | 'none';

/** One address of a service and its connections. The most recently used connection is reused first. */
export class Endpoint {
  readonly origin: string;
  activeCalls = 0;
  readonly #maxHeaderSize: number;
  readonly #idle: ServiceConnection[] = [];
  /** What it does with idle connections: nothing is known yet, it keeps them, or it closes them early. */
  #habit: 'unknown' | 'keeps' | 'closes' = 'unknown';
  #closedAt = Number.NEGATIVE_INFINITY;

  constructor(origin: string, maxHeaderSize: number) {
    this.origin = origin;
    this.#maxHeaderSize = maxHeaderSize;
  }

  connect(reuse: Reuse): ServiceConnection {
    const isAllowed = reuse === 'any' || (reuse === 'certain' && this.#isCertain());
    const idle = isAllowed ? this.#idle.pop() : undefined;
    return (
      idle ?? new ServiceConnection(this.origin, connector, this.#maxHeaderSize, this.#onDisconnect)
    );
  }

  /** Opens a connection that becomes a WebSocket, or ends with the service's refusal. */
  open(): ServiceConnection {
    return new ServiceConnection(this.origin, halfOpenConnector, this.#maxHeaderSize);
  }

  /** Takes back a connection whose call succeeded. */
  giveBack(connection: ServiceConnection): void {
    if (!connection.isReusable || this.#idle.length >= MAX_IDLE) {
      connection.destroy();
      return;
    }
    connection.idleSince = performance.now();
    this.#idle.push(connection);
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #isCertain(): boolean {
    const now = performance.now();
    const isLong = ({ idleSince }: ServiceConnection) =>
      now - idleSince >= PROVEN_IDLE_MILLISECONDS;
    // The first is the one that has been idle for the longest.
    const [first] = this.#idle;
    if (first !== undefined && isLong(first) && first.idleSince > this.#closedAt) {
      this.#habit = 'keeps';
    }
    const last = this.#idle.at(-1);
    return this.#habit === 'keeps' && last !== undefined && !isLong(last);
  }

  readonly #onDisconnect = (connection: ServiceConnection, error: Error): void => {
    const now = performance.now();
    const isEarly = now - connection.idleSince < PROVEN_IDLE_MILLISECONDS;
    connection.idleSince = Number.NaN;
    if (isEarly && isClosedByPeer(error)) {
      this.#habit = 'closes';
      this.#closedAt = now;
    }
    const at = this.#idle.indexOf(connection);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    connection.destroy();
  };
}

function isClosedByPeer({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code);
}

const CONNECTOR = { timeout: CONNECT_MILLISECONDS, noDelay: true, allowH2: false };
const connector = buildConnector(CONNECTOR);
/** If one side of a WebSocket ends, the other may still send. */
const halfOpenConnector = buildConnector({ ...CONNECTOR, allowHalfOpen: true });

/**
 * One connection to an endpoint, with one call at a time: a call never waits behind another, and closing the connection
 * affects no other call. undici's `Pool` does the same, but a call cannot ask it for a new connection.
 */
export class ServiceConnection {
  readonly #client: Client;
  /** Whether it can serve another call after this one. */
  readonly isReusable: boolean;
  /** When the last call on the open connection ended; NaN before the first one. */
  idleSince = Number.NaN;

  constructor(
    origin: string,
    connect: typeof connector,
    maxHeaderSize: number,
    onDisconnect?: (connection: ServiceConnection, error: Error) => void,
  ) {
    this.isReusable = onDisconnect !== undefined;
    this.#client = new Client(origin, {
      connect,
      // Once a service has begun to respond, it may be silent for as long as it likes (D13).
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
      maxHeaderSize,
      allowH2: false,
    });
    if (onDisconnect === undefined) return;
    this.#client.on('disconnect', (_origin, _targets, error) => onDisconnect(this, error));
  }

  /** Whether it has served a call before: the service may be about to close it. */
  get isReused(): boolean {
    return !Number.isNaN(this.idleSince);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  destroy(error?: Error): void {
    this.#client.destroy(error ?? null, () => {});
  }
}
