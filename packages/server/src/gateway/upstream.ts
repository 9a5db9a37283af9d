import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Endpoint } from './registry/service-registry.ts';

/** How long a connection may be idle, whatever its service announces. */
const MAX_IDLE_MILLISECONDS = 60_000;

/** Number of consecutive calls without a response after which an endpoint is ejected. */
const FAILURES = 3;

/** Number of consecutive failures after which it is ejected if the last one was a status of 500 or above. */
const SERVER_ERRORS = 5;

/** First and maximum ejection time, in milliseconds; it doubles with each failed trial. */
const FIRST_PAUSE = 1000;

const LONGEST_PAUSE = 30_000;

/** Pause between trials of an endpoint that is the only one left. */
const LAST_RESORT_PAUSE = 100;

/** Maximum number of idle connections to keep for later calls. */
const MAX_IDLE = 256;

/**
 * One connection to an endpoint, with one call at a time: a call never waits behind another (no pipelining),
 * and closing the connection affects no other call. The client closes idle connections after the time that
 * the service announced, or 4 seconds by default.
 */
export class Connection {
  readonly #client: Client;
  /** Whether it can serve another call after this one. */
  readonly isReusable: boolean;
  /** Whether the socket has served a call before: the service may be about to close it. */
  isReused = false;

  /** @param onDisconnect called when the socket is closed; undefined if it serves only one call */
  constructor(
    origin: string,
    connect: Connector,
    maxHeaderSize: number,
    onDisconnect: ((connection: Connection) => void) | undefined,
  ) {
    this.isReusable = onDisconnect !== undefined;
    this.#client = new Client(origin, {
      connect,
      // Once a service has begun to respond, it may be silent for as long as it likes (D13); the call
      // itself measures the time until the headers.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
      maxHeaderSize,
      allowH2: false,
    });
    if (onDisconnect === undefined) return;
    this.#client.on('disconnect', () => {
      this.isReused = false;
      onDisconnect(this);
    });
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler);
  }

  destroy(error?: Error): void {
    this.#client.destroy(error ?? null, ignore);
  }
}

function ignore(): void {}

type Connector = ReturnType<typeof buildConnector>;

/** One endpoint, its connections and its health. The most recently used connection is reused first. */
export class Upstream {
  readonly origin: string;
  /** `Host` of its calls, if it differs from that of the origin. */
  readonly host: string | undefined;
  readonly health: Health;
  outstanding = 0;
  /** Calls each of these when a call has ended. */
  readonly onEnd = new Set<() => void>();
  readonly #maxHeaderBytes: number;
  readonly #connect: Connector;
  readonly #connectHalfOpen: Connector;
  readonly #idle: Connection[] = [];

  constructor(
    { origin, servername }: Endpoint,
    connectMilliseconds: number,
    now: () => number,
    maxHeaderBytes: number,
  ) {
    this.origin = origin;
    this.#maxHeaderBytes = maxHeaderBytes;
    this.host = servername === undefined ? undefined : toHost(servername, origin);
    this.health = new Health(now);
    const options = {
      timeout: connectMilliseconds,
      noDelay: true,
      allowH2: false,
      ...(servername !== undefined && { servername }),
    };
    this.#connect = buildConnector(options);
    // If one side of a WebSocket ends, the other may still send.
    this.#connectHalfOpen = buildConnector({ ...options, allowHalfOpen: true });
  }

  begin(): void {
    this.outstanding += 1;
    this.health.begin();
  }

  end(): void {
    this.outstanding -= 1;
    for (const listener of this.onEnd) listener();
  }

  /** Requests this path over a new connection. The result counts like that of a call. */
  async check(path: string, milliseconds: number): Promise<void> {
    const times = { headersTimeout: milliseconds, bodyTimeout: milliseconds };
    const client = new Client(this.origin, { connect: this.#connect, ...times });
    const headers = this.host === undefined ? {} : { host: this.host };
    this.health.begin();
    try {
      const { statusCode, body } = await client.request({ method: 'GET', path, headers });
      body.on('error', ignore);
      this.health.judge(statusCode, 400);
    } catch {
      this.health.fail(false);
    } finally {
      client.destroy(null, ignore);
    }
  }

  take(): Connection {
    return this.#idle.pop() ?? this.takeNew();
  }

  takeNew(): Connection {
    return new Connection(this.origin, this.#connect, this.#maxHeaderBytes, this.#drop);
  }

  /** Returns a connection that becomes a WebSocket, or ends with the service's refusal. */
  takeForUpgrade(): Connection {
    return new Connection(this.origin, this.#connectHalfOpen, this.#maxHeaderBytes, undefined);
  }

  /** Takes back a connection whose call succeeded. */
  giveBack(connection: Connection): void {
    if (!connection.isReusable || this.#idle.length >= MAX_IDLE) {
      connection.destroy();
      return;
    }
    connection.isReused = true;
    this.#idle.push(connection);
  }

  get isUnused(): boolean {
    return this.outstanding === 0 && this.#idle.length === 0 && this.health.isUsable;
  }

  get stats() {
    const { origin, outstanding } = this;
    return { origin, outstanding, idle: this.#idle.length, isEjected: this.health.isEjected };
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  readonly #drop = (connection: Connection): void => {
    const at = this.#idle.indexOf(connection);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    connection.destroy();
  };
}

/**
 * Health of one endpoint, as its calls show it: it is ejected after several consecutive failures. After a pause,
 * one call is sent as a trial; any response below 500 ends the ejection.
 */
class Health {
  readonly #now: () => number;
  #failures = 0;
  #pause = 0;
  #until = 0;
  #failedAt = 0;
  #isTried = false;
  #wasReached = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether it can be called: it is not ejected, or a trial is due and none is running. */
  get isUsable(): boolean {
    return this.#pause === 0 || (!this.#isTried && this.#now() >= this.#until);
  }

  get isEjected(): boolean {
    return this.#pause > 0;
  }

  /**
   * Whether it is called despite its ejection if there is no better endpoint. A few requests that break a service
   * must not make it unavailable for everyone; if it accepts no connections, it gets one call at a time.
   */
  get isLastResort(): boolean {
    if (this.#pause === 0 || this.#wasReached) return this.#pause > 0;
    return !this.#isTried && this.#now() >= this.#failedAt + LAST_RESORT_PAUSE;
  }

  begin(): void {
    if (this.#pause > 0) this.#isTried = true;
  }

  /** Records a response. From `least`, its status is a failure. */
  judge(status: number, least = 500): void {
    if (status >= least) this.fail(true, SERVER_ERRORS);
    else this.succeed();
  }

  succeed(): void {
    this.#failures = 0;
    this.#pause = 0;
    this.#isTried = false;
  }

  /** Records a call that ended without a result. */
  forget(): void {
    this.#isTried = false;
  }

  /** @param wasReached whether it accepted the connection */
  fail(wasReached: boolean, limit = FAILURES): void {
    const now = this.#now();
    this.#failures += 1;
    this.#failedAt = now;
    this.#isTried = false;
    this.#wasReached = wasReached;
    if (this.#failures < limit) return;
    // Calls from before the ejection reveal nothing new.
    if (this.#pause > 0 && now < this.#until) return;
    this.#pause = this.#pause === 0 ? FIRST_PAUSE : Math.min(this.#pause * 2, LONGEST_PAUSE);
    this.#until = now + this.#pause;
  }
}

function toHost(servername: string, origin: string): string {
  const { port } = new URL(origin);
  return port === '' ? servername : `${servername}:${port}`;
}
