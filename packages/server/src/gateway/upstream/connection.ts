import type { buildConnector, Dispatcher } from 'undici';
import { Client } from 'undici';

/** How long an idle connection is kept, whatever its service promises. */
const MAX_IDLE_MILLISECONDS = 60_000;

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
