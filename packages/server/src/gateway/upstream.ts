import { buildConnector, Client, type Dispatcher } from 'undici';

/** Maximum time to connect; then another endpoint is tried. */
const CONNECT_MILLISECONDS = 5_000;

/** How long a connection may be idle, whatever its service announces. */
const MAX_IDLE_MILLISECONDS = 60_000;

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

/** One endpoint and its connections. The most recently used connection is reused first. */
export class Upstream {
  readonly origin: string;
  /** Number of calls in flight. */
  outstanding = 0;
  readonly #maxHeaderBytes: number;
  readonly #connect: Connector;
  readonly #connectHalfOpen: Connector;
  readonly #idle: Connection[] = [];

  constructor(origin: string, maxHeaderBytes: number) {
    this.origin = origin;
    this.#maxHeaderBytes = maxHeaderBytes;
    const options = { timeout: CONNECT_MILLISECONDS, noDelay: true, allowH2: false };
    this.#connect = buildConnector(options);
    // If one side of a WebSocket ends, the other may still send.
    this.#connectHalfOpen = buildConnector({ ...options, allowHalfOpen: true });
  }

  /** @param isUpgrade whether the connection becomes a WebSocket, or ends with the service's refusal */
  take({ isUpgrade, isNew }: { isUpgrade: boolean; isNew: boolean }): Connection {
    if (isUpgrade) {
      return new Connection(this.origin, this.#connectHalfOpen, this.#maxHeaderBytes, undefined);
    }
    const idle = isNew ? undefined : this.#idle.pop();
    return idle ?? new Connection(this.origin, this.#connect, this.#maxHeaderBytes, this.#drop);
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

  get stats() {
    const { origin, outstanding } = this;
    return { origin, outstanding, idle: this.#idle.length };
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
