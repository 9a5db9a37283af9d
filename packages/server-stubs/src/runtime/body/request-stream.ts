import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { FaultError, tooLarge } from '../faults.ts';

/** Responses to clients that wait for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Records that the client of `checkContinue` waits (RFC 9110, section 10.1.1). */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Sends `100 Continue` to a client that waits for it, once. */
export function askToContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Whether a request announces a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/**
 * The body of a request as a stream that fails beyond `maxBytes`. A body with `Content-Length` was
 * checked before and is returned as is.
 */
export function limitStream(request: IncomingMessage, maxBytes: number): Readable {
  if (maxBytes === Infinity || request.headers['content-length'] !== undefined) return request;
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > maxBytes) callback(new FaultError(tooLarge(maxBytes)));
      else callback(null, chunk);
    },
  });
  // Readers get the error; a handler that does not read must not crash the process.
  limiter.on('error', () => {});
  // The request must outlive the limiter, so that a response can still be sent.
  request.pipe(limiter);
  request.once('close', () => {
    const gone = new Error('The client disconnected.');
    if (!request.complete) limiter.destroy(Object.assign(gone, { code: 'ECONNRESET' }));
  });
  return limiter;
}

/**
 * The body of a pass-through operation: the request itself, unless a limit has to be enforced.
 *
 * If `express.json()` ran before, the bytes are gone: its value is serialised again, and `Content-Length`
 * is set to the new length. A signature over the original bytes then no longer matches.
 *
 * @throws FaultError if `Content-Length` exceeds the limit
 * @throws Error if something else has read the body
 */
export function toRawRequest(
  request: IncomingMessage & { body?: unknown },
  maxBytes: number,
): Readable {
  if (!hasBody(request)) return request;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw new FaultError(tooLarge(maxBytes));
  }
  if (request.readableDidRead) return Readable.from([toBytes(request)]);
  if (request.headers.expect !== undefined) askToContinue(request);
  return limitStream(request, maxBytes);
}

function toBytes(request: IncomingMessage & { body?: unknown }): Buffer {
  const { body, headers } = request;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  if (body === undefined || !/json/i.test(headers['content-type'] ?? '')) {
    throw new Error('Something has read the body before the router; mount the router first.');
  }
  const bytes = Buffer.from(JSON.stringify(body));
  headers['content-length'] = String(bytes.length);
  delete headers['transfer-encoding'];
  return bytes;
}

/**
 * Reads a complete body. Never resolves if the client disconnects first.
 *
 * @throws FaultError at the first byte beyond `maxBytes`; the rest stays unread
 */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      request.off('data', onData).off('end', onEnd).pause();
      reject(new FaultError(tooLarge(maxBytes)));
    };
    const onEnd = () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    };
    request.on('data', onData).on('end', onEnd);
  });
}
