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
import type { Switched } from './attempt.ts';

/** Idle time after which TCP probes a connection. */
const KEEP_ALIVE_MILLISECONDS = 60_000;

const CLOSE_MILLISECONDS = 1000;

/** RFC 6455, section 7.4.1: "1001 indicates that an endpoint is "going away", such as a server going down". */
const GOING_AWAY = Buffer.from([0x88, 2, 1001 >> 8, 1001 & 255]);

/** Calls a service. Resolves with a socket only if `upgrade` requests one. */
export type CallService = (
  input: GatewayInput,
  call: GatewayCall<Caller>,
  upgrade: 'websocket' | undefined,
) => Promise<ServiceResponse | Switched>;

/**
 * Creates the WebSocket handler. It forwards frames as bytes: subprotocols, extensions, pings and close codes
 * are between the caller and the service (D14).
 */
export function createWebSocketHandler(callService: CallService) {
  const open = new Map<Duplex, () => void>();
  return {
    async handler(input: GatewayInput, call: GatewayCall<Caller>) {
      const response = await callService(input, call, 'websocket');
      if (!('socket' in response)) return response;
      const { socket, headers } = response;
      // If the caller disconnects before the 101 is written, nobody takes ownership of the socket.
      const onClose = () => socket.destroy();
      call.response.once('close', onClose);
      return {
        status: 101,
        headers,
        open(client, head) {
          call.response.off('close', onClose);
          if (head.length > 0) client.unshift(head);
          const closers = [forward(client, socket, mask), forward(socket, client)];
          open.set(client, () => {
            open.set(client, () => {});
            for (const close of closers) close();
            const cut = () => client.destroy();
            const timer = setTimeout(cut, CLOSE_MILLISECONDS);
            client.once('close', () => clearTimeout(timer));
          });
          client.once('close', () => open.delete(client));
        },
      } satisfies WebSocketResponse;
    },
    get size() {
      return open.size;
    },
    /** Closes them with 1001. Those that are not closed after a second are cut off. */
    close() {
      for (const close of open.values()) close();
    },
  };
}

/**
 * Pipes bytes in one direction, with backpressure. If the sender ends, the receiver is ended; if it fails, the
 * receiver is destroyed. Idle connections stay open while both sides acknowledge TCP probes.
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
