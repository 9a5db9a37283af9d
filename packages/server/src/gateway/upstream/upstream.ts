import { buildConnector } from 'undici';
import { Connection } from './connection.ts';
import { Health } from './health.ts';

type Connector = ReturnType<typeof buildConnector>;

/** What one endpoint is doing. */
export interface UpstreamStats {
  readonly origin: string;
  /** Calls and WebSockets that have not ended. */
  readonly outstanding: number;
  /** Connections that wait for the next call. */
  readonly idle: number;
  /** Whether it was taken out after failures to connect. */
  readonly isOut: boolean;
}

/** One endpoint, its connections and its health. The last connection that was used is used first. */
export class Upstream {
  readonly origin: string;
  readonly health: Health;
  outstanding = 0;
  readonly #connect: Connector;
  readonly #connectHalfOpen: Connector;
  readonly #idle: Connection[] = [];

  /** @param connectMilliseconds how long a connection may take */
  constructor(origin: string, connectMilliseconds: number, now: () => number) {
    this.origin = origin;
    this.health = new Health(now);
    const options = { timeout: connectMilliseconds, noDelay: true, allowH2: false };
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

  /** A connection that becomes a WebSocket and does not come back. */
  takeForUpgrade(): Connection {
    return new Connection(this.origin, this.#connectHalfOpen, () => {});
  }

  /** Takes back a connection whose call has ended well. */
  giveBack(connection: Connection): void {
    connection.isReused = true;
    this.#idle.push(connection);
  }

  get isUnused(): boolean {
    return this.outstanding === 0 && this.#idle.length === 0 && !this.health.isOut;
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
