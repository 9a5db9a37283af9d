import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { DueFault } from './fault.ts';

/** How often a slow body goes on, and how much of it at most at once. */
const SLICES_PER_SECOND = 20;

const MOST_AT_ONCE = 8 * 1024;

/** What is held back before the writer is asked to wait. */
const HIGH_WATER = 16 * 1024;

type Chunk = string | Uint8Array;

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/** What becomes of the body of an answer. */
export interface BodyShape {
  /** Bytes after which it breaks off; `Infinity` where it does not. */
  readonly limit: number;
  /** How it breaks off: by a reset, or as a connection that is lost. */
  readonly byReset: boolean;
  /** `Infinity` for no limit. */
  readonly bytesPerSecond: number;
}

/**
 * Slows the body of an answer down, or breaks it off. Whoever writes the answer is held back as by a
 * slow client. What stands in `Content-Length` stays, so that a client can tell that bytes are missing.
 */
export function shapeBody(response: ServerResponse, shape: BodyShape): void {
  const { limit, byReset, bytesPerSecond } = shape;
  const write = response.write.bind(response) as (chunk: Chunk, done: () => void) => boolean;
  const end = response.end.bind(response);
  const atOnce = Math.min(MOST_AT_ONCE, Math.max(1, Math.ceil(bytesPerSecond / SLICES_PER_SECOND)));

  const queue: Buffer[] = [];
  const finished: (() => void)[] = [];
  let queued = 0;
  let sent = 0;
  let due = 0;
  let isEnding = false;
  let isBusy = false;
  let isOver = false;
  let mustDrain = false;
  let timer: NodeJS.Timeout | undefined;
  response.once('close', () => {
    isOver = true;
    clearTimeout(timer);
  });

  function pump(): void {
    if (isOver || isBusy) return;
    const [chunk] = queue;
    if (chunk !== undefined && sent >= limit) breakOff();
    else if (chunk !== undefined) send(chunk);
    else if (isEnding) {
      isOver = true;
      end(() => {
        for (const done of finished) done();
      });
    }
  }

  function send(chunk: Buffer): void {
    const slice = chunk.subarray(0, Math.min(chunk.length, limit - sent, atOnce));
    if (slice.length === chunk.length) queue.shift();
    else queue[0] = chunk.subarray(slice.length);
    sent += slice.length;
    queued -= slice.length;
    isBusy = true;
    due = Math.max(due, performance.now() - 1_000 / SLICES_PER_SECOND);
    due += (slice.length / bytesPerSecond) * 1_000;
    write(slice, () => {
      // The last bytes need no pause after them.
      const wait = queue.length === 0 && isEnding ? 0 : due - performance.now();
      if (wait > 0) timer = setTimeout(goOn, wait);
      else goOn();
    });
  }

  function goOn(): void {
    isBusy = false;
    if (isOver) return;
    pump();
    if (!mustDrain || isOver || queued >= HIGH_WATER) return;
    mustDrain = false;
    response.emit('drain');
  }

  function breakOff(): void {
    isOver = true;
    queue.length = 0;
    // The callback comes when the head and all before it have left.
    write('', () => {
      const { socket } = response;
      if (socket === null) response.destroy();
      else if (byReset) resetSocket(socket);
      else socket.destroySoon();
    });
  }

  function add(chunk: unknown, encoding: unknown): void {
    if (chunk === undefined || chunk === null || isOver || response.req.method === 'HEAD') return;
    const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, known) : (chunk as Buffer);
    if (bytes.length === 0) return;
    queue.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    queued += bytes.length;
  }

  response.write = ((chunk: Chunk, ...rest: Rest) => {
    add(chunk, rest[0]);
    const done = rest.find((given) => typeof given === 'function');
    if (done !== undefined) process.nextTick(done);
    pump();
    mustDrain ||= queued >= HIGH_WATER;
    return !mustDrain;
  }) as typeof response.write;

  response.end = ((...given: Rest) => {
    if (isEnding) return response;
    isEnding = true;
    const [chunk, encoding] = given;
    const done = given.find((part) => typeof part === 'function');
    if (done !== undefined) finished.push(done);
    if (typeof chunk !== 'function') add(chunk, encoding);
    // What Node would do for an answer that is written in one piece.
    if (!response.headersSent && sent === 0 && !response.hasHeader('content-length')) {
      response.setHeader('content-length', queued);
    }
    pump();
    return response;
  }) as typeof response.end;
}

/** The least of what several faults leave of a body; undefined where they leave it as it is. */
export function toBodyShape(faults: readonly DueFault[]): BodyShape | undefined {
  let limit = Infinity;
  let byReset = false;
  let bytesPerSecond = Infinity;
  for (const { fault } of faults) {
    const after = typeof fault.reset === 'object' ? fault.reset.after : Infinity;
    const cut = Math.min(after, fault.truncate ?? Infinity);
    if (cut < limit) {
      limit = cut;
      byReset = after === cut;
    }
    bytesPerSecond = Math.min(bytesPerSecond, fault.bytesPerSecond ?? Infinity);
  }
  if (limit === Infinity && bytesPerSecond === Infinity) return undefined;
  return { limit, byReset, bytesPerSecond };
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
export function resetSocket(socket: Duplex): void {
  // Node resets plain sockets alone, and tells nobody which one is under TLS.
  const plain = socket instanceof TLSSocket ? (socket as { _parent?: unknown })._parent : socket;
  if (plain instanceof Socket && !plain.destroyed) plain.resetAndDestroy();
  socket.destroy();
}
