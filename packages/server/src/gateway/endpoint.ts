import { buildConnector, Client } from 'undici';

/** Maximum time to connect; then another endpoint is tried. */
const CONNECT_MILLISECONDS = 5_000;

/** How long a connection may be idle if its service says so (`Keep-Alive: timeout`). undici's default is 4 s. */
const MAX_IDLE_MILLISECONDS = 60_000;

const MAX_IDLE = 256;

/**
 * A service may close a connection at the moment when a request is sent on it. The gateway cannot tell whether the request
 * was processed, so a POST must not be sent again (RFC 9112, section 9.3.1). A POST therefore only reuses a connection
 * that has been idle for less than this, of an endpoint that keeps connections for at least this long.
 */
const RECENT_MILLISECONDS = 1_000;

/** Which connections a call may use: any, only one used within `RECENT_MILLISECONDS`, or only a new one. */
export type Reuse = 'any' | 'recently-used' | 'none';

/** One address of a service and its connections. */
export class Endpoint {
  readonly origin: string;
  /** Calls in flight: from `connect` to `release` or `discard`. */
  activeCalls = 0;
  readonly #idle = new IdleConnections();

  constructor(origin: string) {
    this.origin = origin;
  }

  connect(reuse: Reuse): ServiceConnection {
    this.activeCalls += 1;
    const idle = this.#idle.take(reuse);
    if (idle !== undefined) return idle;
    const connection = new ServiceConnection(this.origin);
    connection.on('disconnect', (_origin, _targets, error) => this.#idle.drop(connection, error));
    return connection;
  }

  release(connection: ServiceConnection): void {
    this.activeCalls -= 1;
    this.#idle.put(connection);
  }

  discard(connection: ServiceConnection): void {
    this.activeCalls -= 1;
    void connection.destroy();
  }

  close(): void {
    this.#idle.close();
  }
}

/** The idle connections to an endpoint, and whether they stay open. The most recently used one is reused first. */
class IdleConnections {
  /** In the order in which they were last used. */
  readonly #connections: ServiceConnection[] = [];
  /** Whether a connection has stayed open while idle for `RECENT_MILLISECONDS`, since one was last closed early. */
  #keepsIdle = false;
  /** When the service last closed a connection that had been idle for less. */
  #closedEarlyAt = Number.NEGATIVE_INFINITY;

  take(reuse: Reuse): ServiceConnection | undefined {
    if (reuse === 'none') return undefined;
    if (reuse === 'recently-used') {
      this.#updateKeepsIdle();
      if (!this.#keepsIdle || !isRecentlyUsed(this.#connections.at(-1))) return undefined;
    }
    return this.#connections.pop();
  }

  put(connection: ServiceConnection): void {
    connection.hasServed = true;
    connection.lastUsedAt = performance.now();
    this.#connections.push(connection);
    if (this.#connections.length > MAX_IDLE) void this.#connections.shift()?.destroy();
  }

  /** Must be called when a connection is closed, idle or not. */
  drop(connection: ServiceConnection, error: Error): void {
    if (connection.hasServed && isRecentlyUsed(connection) && isClosedByPeer(error)) {
      this.#keepsIdle = false;
      this.#closedEarlyAt = performance.now();
    }
    connection.hasServed = false;
    const at = this.#connections.indexOf(connection);
    if (at < 0) return;
    this.#connections.splice(at, 1);
    void connection.destroy();
  }

  close(): void {
    for (const connection of this.#connections.splice(0)) void connection.destroy();
  }

  #updateKeepsIdle(): void {
    const oldest = this.#connections[0];
    if (oldest === undefined || isRecentlyUsed(oldest)) return;
    if (oldest.lastUsedAt > this.#closedEarlyAt) this.#keepsIdle = true;
  }
}

function isRecentlyUsed(connection: ServiceConnection | undefined): boolean {
  const lastUsedAt = connection?.lastUsedAt ?? Number.NEGATIVE_INFINITY;
  return performance.now() - lastUsedAt < RECENT_MILLISECONDS;
}

function isClosedByPeer({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code);
}

const connect = buildConnector({
  timeout: CONNECT_MILLISECONDS,
  noDelay: true,
  allowH2: false,
  // If one side of a WebSocket ends, the other may still send.
  allowHalfOpen: true,
});

/**
 * One connection to an endpoint, with one call at a time: a call never waits behind another, and closing the connection
 * affects no other call. undici's `Pool` does the same, but a call cannot ask it for a new connection.
 */
export class ServiceConnection extends Client {
  /** Whether the open socket has served a call before. */
  hasServed = false;
  /** When the last call on it ended. */
  lastUsedAt = Number.NEGATIVE_INFINITY;

  constructor(origin: string) {
    super(origin, {
      connect,
      // Once a service has begun to respond, it may be silent for as long as it likes (D13).
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
      allowH2: false,
    });
  }
}
