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
 *
 * | Event                                                | `servedAt` | `#keepsIdle` | `#closedEarlyAt` |
 * | ---------------------------------------------------- | ---------- | ------------ | ---------------- |
 * | a call ends, and its connection stays open           | now        |              |                  |
 * | a POST finds one that has been idle for this long,   |            | true         |                  |
 * | and served its last call after `#closedEarlyAt`      |            |              |                  |
 * | the service closes one that has been idle for less   | undefined  | false        | now              |
 * | one is closed for any other reason                   | undefined  |              |                  |
 */
const RECENT_MILLISECONDS = 1_000;

/** Which connections a call may use: any, only one used within `RECENT_MILLISECONDS`, or only a new one. */
export type Reuse = 'any' | 'recently-used' | 'none';

/** One address of a service and its connections. The most recently used connection is reused first. */
export class Endpoint {
  readonly origin: string;
  readonly #maxHeaderBytes: number;
  /** Calls in flight: from `connect` or `open` to `release` or `discard`. */
  activeCalls = 0;
  /** In the order in which they were last used. */
  readonly #idle: ServiceConnection[] = [];
  #keepsIdle = false;
  #closedEarlyAt = Number.NEGATIVE_INFINITY;

  constructor(origin: string, maxHeaderBytes: number) {
    this.origin = origin;
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  connect(reuse: Reuse): ServiceConnection {
    this.activeCalls += 1;
    if (reuse === 'recently-used') this.#noticeKeptIdle();
    const mayReuse = reuse === 'any' || (reuse === 'recently-used' && this.#hasRecentlyUsed());
    const idle = mayReuse ? this.#idle.pop() : undefined;
    if (idle !== undefined) return idle;
    const connection = new ServiceConnection(this.origin, this.#maxHeaderBytes, 'for-calls');
    connection.on('disconnect', (_origin, _targets, error) =>
      this.#onDisconnect(connection, error),
    );
    return connection;
  }

  /** Like `connect`, for a connection that becomes a WebSocket, unless the service rejects the handshake. */
  open(): ServiceConnection {
    this.activeCalls += 1;
    return new ServiceConnection(this.origin, this.#maxHeaderBytes, 'for-a-web-socket');
  }

  release(connection: ServiceConnection): void {
    if (!connection.isReusable) {
      this.discard(connection);
      return;
    }
    this.activeCalls -= 1;
    connection.servedAt = performance.now();
    this.#idle.push(connection);
    if (this.#idle.length > MAX_IDLE) void this.#idle.shift()?.destroy();
  }

  discard(connection: ServiceConnection): void {
    this.activeCalls -= 1;
    void connection.destroy();
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) void connection.destroy();
  }

  #noticeKeptIdle(): void {
    const { servedAt = Number.NEGATIVE_INFINITY } = this.#idle[0] ?? {};
    const isRecent = servedAt > performance.now() - RECENT_MILLISECONDS;
    if (!isRecent && servedAt > this.#closedEarlyAt) this.#keepsIdle = true;
  }

  #hasRecentlyUsed(): boolean {
    const { servedAt = Number.NEGATIVE_INFINITY } = this.#idle.at(-1) ?? {};
    return this.#keepsIdle && servedAt > performance.now() - RECENT_MILLISECONDS;
  }

  #onDisconnect(connection: ServiceConnection, error: Error): void {
    const now = performance.now();
    const { servedAt } = connection;
    connection.servedAt = undefined;
    const isEarly = servedAt !== undefined && now - servedAt < RECENT_MILLISECONDS;
    if (isEarly && isClosedByPeer(error)) {
      this.#keepsIdle = false;
      this.#closedEarlyAt = now;
    }
    const at = this.#idle.indexOf(connection);
    if (at < 0) return;
    this.#idle.splice(at, 1);
    void connection.destroy();
  }
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
export class ServiceConnection extends Client {
  /** Whether it can serve another call after this one. */
  readonly isReusable: boolean;
  /** When the last call on the open socket ended; undefined if the socket has served none, or is closed. */
  servedAt: number | undefined;

  get isReused(): boolean {
    return this.servedAt !== undefined;
  }

  constructor(origin: string, maxHeaderBytes: number, use: 'for-calls' | 'for-a-web-socket') {
    super(origin, {
      connect: use === 'for-calls' ? connector : halfOpenConnector,
      // Once a service has begun to respond, it may be silent for as long as it likes (D13).
      bodyTimeout: 0,
      keepAliveMaxTimeout: MAX_IDLE_MILLISECONDS,
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    });
    this.isReusable = use === 'for-calls';
  }
}
