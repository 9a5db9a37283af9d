import { IncomingMessage, Server, type ServerOptions, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * The response to an `upgrade` event, for which Node.js creates none, so that upgrades are rejected like any request.
 */
export class UpgradeResponse extends ServerResponse {
  readonly #socket: Duplex;
  readonly #head: Buffer;

  /**
   * Returns `undefined`, and closes the connection, if the response to an earlier request is still in progress: Node.js
   * no longer reads the connection.
   */
  static create(request: IncomingMessage, socket: Duplex, head: Buffer) {
    try {
      return new UpgradeResponse(request, socket, head);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_HTTP_SOCKET_ASSIGNED') throw error;
      socket.destroy();
      return undefined;
    }
  }

  private constructor(request: IncomingMessage, socket: Duplex, head: Buffer) {
    super(request);
    this.#socket = socket;
    this.#head = head;
    // Node.js no longer reads HTTP from this connection.
    this.shouldKeepAlive = false;
    this.assignSocket(socket as Socket);
    // The socket has no error listener of its own, and a reset must not crash the process.
    socket.on('error', () => {});
    socket.on('readable', this.#keepReading);
    socket.on('end', this.#endSocket);
    this.once('finish', () => {
      this.detachSocket(socket as Socket);
      // A client that never closes its side would keep the connection open forever.
      if (socket instanceof Socket) socket.destroySoon();
      else socket.end();
    });
  }

  /**
   * Hands the socket over to the new protocol, after a 101.
   *
   * @param sendsHead sends what `writeHead` got. Otherwise, `open` writes the head
   */
  handOver(open: (socket: Duplex, head: Buffer) => void, sendsHead: boolean): void {
    if (sendsHead) {
      // A 101 has no body to `write`, and `flushHeaders` uses the socket's encoding. Latin-1 keeps the bytes unchanged.
      this.#socket.setDefaultEncoding('latin1');
      this.flushHeaders();
      this.#socket.setDefaultEncoding('utf8');
    }
    const socket = this.#socket;
    this.detachSocket(socket as Socket);
    socket.off('readable', this.#keepReading);
    socket.off('end', this.#endSocket);
    try {
      open(socket, this.#head);
    } catch (error) {
      // The router reports the error, but there is no connection left to respond on.
      socket.destroy();
      this.destroy();
      throw error;
    }
  }

  /** Without reading, a disconnect would go unnoticed. What the client sends stays buffered. */
  readonly #keepReading = () => {
    if (this.#socket.readableLength === 0) this.#socket.read();
  };

  /** As Node.js does for other connections when the client has closed its side. */
  readonly #endSocket = () => {
    this.#socket.end();
  };
}

type ShouldUpgrade = (request: IncomingMessage) => boolean;

/**
 * Returns options for `createServer`, so that a request that `shouldUpgrade` rejects is a call like any other. RFC
 * 9110, section 7.8: "A server MAY ignore a received Upgrade header field".
 */
export function toUpgradeOptions(
  shouldUpgrade: ShouldUpgrade,
  Request = IncomingMessage,
): ServerOptions {
  // Node.js 22.21 and 24.9 introduced it.
  if ('shouldUpgradeCallback' in new Server()) {
    return { IncomingMessage: Request, shouldUpgradeCallback: shouldUpgrade };
  }
  return { IncomingMessage: filterUpgrades(shouldUpgrade, Request) };
}

/** For versions without that option: Node.js parses a request like any other unless its `upgrade` is true. */
export function filterUpgrades(
  shouldUpgrade: ShouldUpgrade,
  Request: typeof IncomingMessage,
): typeof IncomingMessage {
  return class extends Request {
    // Not private, because the constructor of `IncomingMessage` already sets `upgrade`.
    wantsUpgrade = false;

    get upgrade(): boolean {
      return this.wantsUpgrade && (this.method === 'CONNECT' || shouldUpgrade(this));
    }

    set upgrade(value: boolean) {
      this.wantsUpgrade = value;
    }
  };
}
