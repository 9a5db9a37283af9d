import { buildConnector } from 'undici';
import type { Endpoint } from '../service-registry.ts';
import { Connection } from './connection.ts';
import { Health } from './health.ts';

/** Connections that are kept for the next calls, at most. */
const MAX_IDLE = 256;

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

function toHost(servername: string, origin: string): string {
  const { port } = new URL(origin);
  return port === '' ? servername : `${servername}:${port}`;
}
