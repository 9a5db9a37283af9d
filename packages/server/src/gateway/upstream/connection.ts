import type { buildConnector } from 'undici';
import { Client } from 'undici';

/**
 * One connection to an endpoint, with one call at a time: a call never waits behind another (pipelining
 * off), and ending it ends nothing else.
 */
export class Connection {
  readonly #client: Client;
  /** Whether a call has gone over the open socket before, which the service may be about to close. */
  isReused = false;

  /** @param onDisconnect called when the socket is gone */
  constructor(
    origin: string,
    connect: ReturnType<typeof buildConnector>,
    onDisconnect: (connection: Connection) => void,
  ) {
    this.#client = new Client(origin, {
      connect,
      // A service may fall silent for as long as it likes once it has begun to answer (D13); the time to
      // its headers is measured by the call itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
    this.#client.on('disconnect', () => {
      this.isReused = false;
      onDisconnect(this);
    });
  }

  get dispatch(): Client['dispatch'] {
    return this.#client.dispatch.bind(this.#client);
  }

  destroy(error?: Error): void {
    this.#client.destroy(error ?? null, () => {});
  }
}
