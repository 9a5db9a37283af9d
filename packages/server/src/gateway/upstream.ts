import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Endpoint } from './registry/service-registry.ts';

/** How long an idle connection is kept, whatever its service promises. */
const MAX_IDLE_MILLISECONDS = 60_000;

/** Failures, one after the other, that take an endpoint out. */
const FAILURES = 3;

/** How long it stays out at first, and at most, in milliseconds; each failed trial doubles the time. */
const FIRST_PAUSE = 1000;

const LONGEST_PAUSE = 30_000;

/** Connections that are kept for the next calls, at most. */
const MAX_IDLE = 256;

/**
 * One connection to an endpoint, with one call at a time: a call never waits behind another (pipelining
 * off), and ending it ends nothing else. The client closes one that stays idle: after the time that the
 * service has named, else after 4 seconds.
 */
export class Connection {
  readonly #client: Client;
  /** Whether it may serve another call after this one. */
  readonly isReusable: boolean;
  /** Whether a call has gone over the open socket before, which the service may be about to close. */
  isReused = false;

  /** @param onDisconnect called when the socket is gone; undefined where it serves one call alone */
  constructor(
    origin: string,
    connect: ReturnType<typeof buildConnector>,
    onDisconnect: ((connection: Connection) => void) | undefined,
  ) {
    this.isReusable = onDisconnect !== undefined;
    this.#client = new Client(origin, {
      connect,
      // A service may fall silent for as long as it likes once it has begun to answer (D13); the time to
      // its headers is measured by the call itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
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

/** What one endpoint is doing. */
export interface UpstreamStats {
  readonly origin: string;
  /** Calls and WebSockets that have not ended. */
  readonly outstanding: number;
  /** Connections that wait for the next call. */
  readonly idle: number;
  /** Whether it was taken out after failures. */
  readonly isOut: boolean;
}

/** One endpoint, its connections and its health. The last connection that was used is used first. */
export class Upstream {
  readonly origin: string;
  /** `Host` of its calls, where it is not that of the origin. */
  readonly host: string | undefined;
  readonly health: Health;
  outstanding = 0;
  readonly #connect: Connector;
  readonly #connectHalfOpen: Connector;
  readonly #idle: Connection[] = [];

  /** @param connectMilliseconds how long a connection may take */
  constructor({ origin, servername }: Endpoint, connectMilliseconds: number, now: () => number) {
    this.origin = origin;
    this.host = servername === undefined ? undefined : toHost(servername, origin);
    this.health = new Health(now);
    const options = {
      timeout: connectMilliseconds,
      noDelay: true,
      allowH2: false,
      ...(servername !== undefined && { servername }),
    };
    this.#connect = buildConnector(options);
    // What one side of a WebSocket ends, the other may still answer.
    this.#connectHalfOpen = buildConnector({ ...options, allowHalfOpen: true });
  }

  /** A connection for one call, open already where there is one. */
  take(): Connection {
    return this.#idle.pop() ?? this.takeNew();
  }

  /** A connection that nobody has used. */
  takeNew(): Connection {
    return new Connection(this.origin, this.#connect, this.#drop);
  }

  /** A connection that becomes a WebSocket, or ends with the service's refusal. */
  takeForUpgrade(): Connection {
    return new Connection(this.origin, this.#connectHalfOpen, undefined);
  }

  /** Takes back a connection whose call has ended well. */
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

  get stats(): UpstreamStats {
    const { origin, outstanding } = this;
    return { origin, outstanding, idle: this.#idle.length, isOut: this.health.isOut };
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
 * Passive health of one endpoint: it is taken out after several calls in a row that got no answer. When
 * its pause is over, one call is let through as a trial; an answer, whatever it says, takes it back in.
 */
class Health {
  readonly #now: () => number;
  #failures = 0;
  #pause = 0;
  #until = 0;
  #isTried = false;
  #wasReached = false;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a call may go there: it is in, or a trial is due and nobody makes it yet. */
  get isUsable(): boolean {
    return this.#pause === 0 || (!this.#isTried && this.#now() >= this.#until);
  }

  get isOut(): boolean {
    return this.#pause > 0;
  }

  /**
   * Whether it is out though it takes connections. It is then called where there is no better endpoint:
   * a few requests that make a service break must not take it from everybody.
   */
  get isLastResort(): boolean {
    return this.#pause > 0 && this.#wasReached;
  }

  /** Notes that a call goes there. */
  begin(): void {
    if (this.#pause > 0) this.#isTried = true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#pause = 0;
    this.#isTried = false;
  }

  /** Notes a call that ended before it could tell anything. */
  forget(): void {
    this.#isTried = false;
  }

  /** @param wasReached whether it took the connection */
  fail(wasReached: boolean): void {
    this.#failures += 1;
    this.#isTried = false;
    this.#wasReached = wasReached;
    if (this.#failures < FAILURES) return;
    const now = this.#now();
    // Calls that began before it was taken out tell nothing new.
    if (this.#pause > 0 && now < this.#until) return;
    this.#pause = this.#pause === 0 ? FIRST_PAUSE : Math.min(this.#pause * 2, LONGEST_PAUSE);
    this.#until = now + this.#pause;
  }
}

function toHost(servername: string, origin: string): string {
  const { port } = new URL(origin);
  return port === '' ? servername : `${servername}:${port}`;
}
