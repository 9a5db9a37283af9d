import { randomBytes } from 'node:crypto';
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

/** How long a WebSocket may take to close. Then it is cut off. */
const CLOSE_MILLISECONDS = 1000;

/** RFC 6455, section 7.4.1: "1001 indicates that an endpoint is "going away", such as a server going down". */
const GOING_AWAY = Buffer.from([0x88, 2, 1001 >> 8, 1001 & 255]);

type Handshake = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
) => Promise<ServiceResponse | Switched>;

interface Joined {
  state: 'open' | 'closing';
  /** They end one direction each. */
  readonly closers: readonly (() => void)[];
}

/**
 * The open WebSockets, each of which joins two sockets. Frames are forwarded as bytes: subprotocols, extensions, pings
 * and close codes are between the caller and the service (D14).
 */
export class WebSockets {
  readonly #handshake: Handshake;
  /** By the caller's socket. */
  readonly #joined = new Map<Duplex, Joined>();

  constructor(handshake: Handshake) {
    this.#handshake = handshake;
  }

  get count(): number {
    return this.#joined.size;
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

  /** Closes them with 1001. */
  close(): void {
    for (const [client, joined] of this.#joined) {
      if (joined.state === 'closing') continue;
      joined.state = 'closing';
      for (const close of joined.closers) close();
      const timer = setTimeout(() => client.destroy(), CLOSE_MILLISECONDS);
      client.once('close', () => clearTimeout(timer));
    }
  }

  /** @param head what the caller has already sent */
  #join(client: Duplex, head: Buffer, service: Duplex): void {
    if (head.length > 0) client.unshift(head);
    const closers = [forward(client, service, mask), forward(service, client)];
    this.#joined.set(client, { state: 'open', closers });
    client.once('close', () => this.#joined.delete(client));
  }
}

/**
 * Pipes bytes in one direction, with backpressure. If the sender ends, the receiver is ended; if it fails, the
 * receiver is destroyed. Idle connections stay open while both sides acknowledge TCP probes.
 *
 * @param encode encodes a frame of the gateway for this direction
 * @returns sends a close frame to the receiver after the current frame, and drops what follows
 */
function forward(from: Duplex, to: Duplex, encode = (frame: Buffer) => frame): () => void {
  const frames = new FrameCursor();
  const follow = (chunk: Buffer) => void frames.advance(chunk);
  prepare(from);
  from.on('error', () => {});
  from.once('close', () => {
    if (from.readableEnded && from.errored === null) to.end();
    else to.destroy();
  });
  from.on('data', follow).pipe(to);
  return () => {
    const goAway = () => {
      if (to.writable) to.end(encode(GOING_AWAY));
    };
    const finish = (chunk: Buffer) => {
      if (!to.writable) return;
      to.write(chunk.subarray(0, frames.advance(chunk, true)));
      if (frames.isBetween) goAway();
    };
    from.unpipe(to).off('data', follow).on('data', finish).resume();
    if (frames.isBetween) goAway();
  };
}

function prepare(socket: Duplex): void {
  const { setNoDelay, setKeepAlive, setTimeout } = socket as Partial<Socket>;
  setTimeout?.call(socket, 0);
  setNoDelay?.call(socket, true);
  setKeepAlive?.call(socket, true, KEEP_ALIVE_MILLISECONDS);
}

/** RFC 6455, section 5.1: "a client MUST mask all frames that it sends to the server". */
function mask(frame: Buffer): Buffer {
  const key = randomBytes(4);
  const payload = frame.subarray(2).map((byte, at) => byte ^ (key[at % 4] as number));
  return Buffer.concat([Buffer.from([frame[0] as number, 0x80 | payload.length]), key, payload]);
}

/** Finds the ends of frames in a stream of bytes (RFC 6455, section 5.2): only there can a frame be inserted. */
class FrameCursor {
  readonly #head: number[] = [];
  #rest = 0;

  get isBetween(): boolean {
    return this.#rest === 0 && this.#head.length === 0;
  }

  /** Reads a chunk, or its bytes up to the first end of a frame. Returns how many bytes were read. */
  advance(chunk: Buffer, stops = false): number {
    let at = 0;
    while (at < chunk.length && !(stops && at > 0 && this.isBetween)) {
      if (this.#rest > 0) {
        const size = Math.min(this.#rest, chunk.length - at);
        this.#rest -= size;
        at += size;
      } else {
        this.#head.push(chunk[at] as number);
        at += 1;
        this.#readHead();
      }
    }
    return at;
  }

  #readHead(): void {
    const head = this.#head;
    const second = head[1];
    if (second === undefined) return;
    const short = second & 127;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (head.length < 2 + lengthBytes + (second & 128 ? 4 : 0)) return;
    const long = head.slice(2, 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
    this.#rest = short < 126 ? short : long;
    head.length = 0;
  }
}
