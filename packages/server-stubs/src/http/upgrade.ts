import { type IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isUpgrade } from './headers.ts';

/** Whether a request opens a WebSocket: only a GET does (RFC 6455, section 4.1). */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && isUpgrade(headers);
}

/**
 * Whether a response to an earlier request of a connection is still under way. An upgrade behind it has
 * to end the connection: Node no longer reads it, and its response could not wait for those before it.
 */
export function isResponding(socket: Duplex): boolean {
  // Node's own mark, by which `assignSocket` throws ERR_HTTP_SOCKET_ASSIGNED.
  return Boolean((socket as { _httpMessage?: unknown })._httpMessage);
}

/**
 * The answer to a request that came as an `upgrade` event, where Node makes none. Until the protocol
 * changes it is an ordinary HTTP answer, so that every check refuses as it always does.
 */
export class UpgradeResponse extends ServerResponse {
  readonly #socket: Duplex;
  readonly #head: Buffer;

  constructor(request: IncomingMessage, socket: Duplex, head: Buffer) {
    super(request);
    this.#socket = socket;
    this.#head = head;
    // What follows on this connection is no HTTP that Node would read.
    this.shouldKeepAlive = false;
    this.assignSocket(socket as never);
    // Node hands the socket over without a listener of its own; a reset must not end the process.
    socket.on('error', () => {});
    socket.on('readable', this.#notice);
    socket.on('end', this.#leave);
    this.once('finish', () => {
      this.detachSocket(socket as never);
      // A client that never ends its own side would keep the connection for ever.
      if (socket instanceof Socket) socket.destroySoon();
      else socket.end();
    });
  }

  /** Sends the head of a 101. Call `hand` next. */
  switch(headers: Readonly<Record<string, string | readonly string[]>>): void {
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    this.writeHead(101);
    // A 101 has no body to `write`, and `flushHeaders` takes the encoding of the socket: bytes stay what they are.
    this.#socket.setDefaultEncoding('latin1');
    this.flushHeaders();
    this.#socket.setDefaultEncoding('utf8');
  }

  /** Gives the socket to whoever speaks the new protocol; nothing more is written here. */
  hand(take: (socket: Duplex, head: Buffer) => void): void {
    // A head counts as sent from here on, also where the taker writes it.
    if (!this.headersSent) this.writeHead(101);
    this.detachSocket(this.#socket as never);
    this.#socket.off('readable', this.#notice);
    this.#socket.off('end', this.#leave);
    take(this.#socket, this.#head);
  }

  /** Nobody learns that a client went away who does not read; what it sends stays for the new protocol. */
  readonly #notice = () => {
    if (this.#socket.readableLength === 0) this.#socket.read();
  };

  /** As Node ends every other connection whose client has ended its side. */
  readonly #leave = () => {
    this.#socket.end();
  };
}
