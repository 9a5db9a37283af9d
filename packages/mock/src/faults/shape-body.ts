import type { ServerResponse } from 'node:http';
import { type Duplex, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { resetSocket } from '../util/sockets.ts';
import type { BodyShape } from './fault.ts';

/** Interval and maximum chunk size of a throttled body. */
const SLICES_PER_SECOND = 20;
const MAX_SLICE_BYTES = 8 * 1024;

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/**
 * Throttles or truncates a response body. The backpressure is the same as with a slow client.
 * `Content-Length` is unchanged, so that the client notices the missing bytes.
 */
export function shapeBody(
  response: ServerResponse,
  { limit, byReset, bytesPerSecond }: BodyShape,
): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const written = (chunk: Uint8Array | string) =>
    new Promise((resolve) => write(chunk, resolve as () => void));
  const sliceBytes = Math.ceil(bytesPerSecond / SLICES_PER_SECOND);
  const most = Math.min(MAX_SLICE_BYTES, Math.max(1, sliceBytes));
  const gone = new AbortController();
  let sent = 0;
  let due = 0;

  async function send(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (sent >= limit) return breakOff();
      const pause = due - performance.now();
      if (pause > 0) await sleep(pause, undefined, { signal: gone.signal });
      const slice = bytes.subarray(at, at + Math.min(most, limit - sent));
      due = Math.max(due, performance.now() - 1_000 / SLICES_PER_SECOND);
      due += (slice.length / bytesPerSecond) * 1_000;
      at += slice.length;
      sent += slice.length;
      await written(slice);
    }
  }

  /** Never resolves: later writes are lost with the connection. */
  async function breakOff(): Promise<never> {
    // When this write completes, the head and everything before it have been sent.
    await written('');
    const { socket } = response;
    if (socket === null) response.destroy();
    else if (byReset) resetSocket(socket);
    else socket.destroySoon();
    return new Promise(() => {});
  }

  const body = new Writable({
    write(bytes: Buffer, _encoding, done) {
      // Node discards the body of a response to HEAD.
      if (response.req.method === 'HEAD') done();
      else send(bytes).then(() => done(), done);
    },
    final: (done) => void end(done),
  });
  // The error means that the client disconnected, which the response reports as well.
  body.on('error', () => {}).on('drain', () => response.emit('drain'));
  response.once('close', () => {
    gone.abort();
    body.destroy();
  });

  response.write = ((...given: Rest) =>
    !body.writableEnded && body.write(...(given as [string]))) as typeof response.write;
  response.end = ((...given: Rest) => {
    if (body.writableEnded) return response;
    const isWhole = sent === 0 && body.writableLength === 0;
    // Node does the same for a response that is written in one piece.
    if (isWhole && !response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', lengthOf(given[0], given[1]));
    }
    body.end(...(given as [string]));
    return response;
  }) as typeof response.end;
}

function lengthOf(chunk: unknown, encoding: BufferEncoding): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, encoding);
  return chunk instanceof Uint8Array ? chunk.length : 0;
}

const END_OF_HEAD = '\r\n\r\n';

/** Closes a connection once `limit` bytes have been sent after the response head. */
export function cutSocket(socket: Duplex, { limit, byReset }: BodyShape): void {
  if (limit === Infinity) return;
  const write = socket.write.bind(socket) as (chunk: Buffer, ...rest: Rest) => boolean;
  let isHead = true;
  let sent = 0;
  socket.write = ((chunk: string | Uint8Array, ...rest: Rest) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as 'utf8') : undefined;
    const bytes = Buffer.from(chunk as string, encoding);
    const end = isHead ? bytes.indexOf(END_OF_HEAD) : -1;
    const head = isHead ? (end < 0 ? bytes.length : end + END_OF_HEAD.length) : 0;
    if (end >= 0) isHead = false;
    const body = Math.min(bytes.length - head, limit - sent);
    if (isHead || head + body === bytes.length) {
      sent += body;
      return write(bytes, ...rest.filter((given) => typeof given === 'function'));
    }
    sent = limit;
    return write(bytes.subarray(0, head + body), () => {
      if (byReset) resetSocket(socket);
      else socket.destroy();
    });
  }) as typeof socket.write;
}
