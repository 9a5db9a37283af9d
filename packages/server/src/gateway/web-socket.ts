import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketResponse,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { Switched } from './proxy.ts';

/** Idle time after which TCP probes a connection. */
const KEEP_ALIVE_MILLISECONDS = 60_000;

type Handshake = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => Promise<ServiceResponse | Switched>;

/**
 * The open WebSockets, each of which joins two sockets. Frames are forwarded as bytes: subprotocols, extensions, pings
 * and close codes are between the caller and the service (D14).
 */
export class WebSockets {
  readonly #handshake: Handshake;
  /** The callers' sockets. */
  readonly #clients = new Set<Duplex>();

  constructor(handshake: Handshake) {
    this.#handshake = handshake;
  }

  readonly open = async (
    input: GatewayInput,
    call: GatewayCall<Caller>,
  ): Promise<WebSocketResponse | ServiceResponse> => {
    const response = await this.#handshake(input, call);
    if (!('socket' in response)) return response;
    const { status, headers, socket } = response;
    // If the caller disconnects before the 101 is written, nobody takes ownership of the socket.
    const cut = () => socket.destroy();
    call.response.once('close', cut);
    const open = (client: Duplex, head: Buffer) => {
      call.response.off('close', cut);
      this.#join(client, head, socket);
    };
    return { status, headers, open };
  };

  /** Disconnects both sides of each. */
  close(): void {
    for (const client of this.#clients) client.destroy();
  }

  /** @param head what the caller has already sent */
  #join(client: Duplex, head: Buffer, service: Duplex): void {
    if (head.length > 0) client.unshift(head);
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    forward(client, service);
    forward(service, client);
  }
}

/**
 * Pipes bytes in one direction, with backpressure. If the sender ends, the receiver is ended; if it fails, the
 * receiver is destroyed. Idle connections stay open while both sides acknowledge TCP probes.
 */
function forward(from: Duplex, to: Duplex): void {
  const { setNoDelay, setKeepAlive, setTimeout } = from as Partial<Socket>;
  setTimeout?.call(from, 0);
  setNoDelay?.call(from, true);
  setKeepAlive?.call(from, true, KEEP_ALIVE_MILLISECONDS);
  from.on('error', () => {});
  from.once('close', () => {
    if (from.readableEnded && from.errored === null) to.end();
    else to.destroy();
  });
  from.pipe(to);
}
