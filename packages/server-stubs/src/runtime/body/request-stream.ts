import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { bodyTooLarge, FaultError } from '../faults.ts';

/** Responses to clients that are waiting for `100 Continue`. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Records that a client is waiting for `100 Continue` (RFC 9110, section 10.1.1). */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Sends `100 Continue` to a client that is waiting for it, at most once. */
export function askToContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** Returns whether a request announces a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/**
 * Returns the request body as a stream that fails beyond `maxBytes`. A body with a `Content-Length` has
 * already been checked, and is returned as is.
 */
export function limitStream(request: IncomingMessage, maxBytes: number): Readable {
  if (maxBytes === Infinity || request.headers['content-length'] !== undefined) return request;
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > maxBytes) callback(new FaultError(bodyTooLarge(maxBytes)));
      else callback(null, chunk);
    },
  });
  // Readers get the error. A handler that does not read must not crash the process.
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
 * Returns the body for a pass-through operation. It is the request itself, unless a limit must be enforced.
 *
 * If `express.json()` ran first, the original bytes are lost. The parsed value is then serialized again,
 * and `Content-Length` is set to the new length. A signature over the original bytes no longer matches.
 *
 * @throws FaultError if `Content-Length` exceeds the limit
 * @throws Error if other middleware has already read the body
 */
export function toRawRequest(
  request: IncomingMessage & { body?: unknown },
  maxBytes: number,
): Readable {
  if (!hasBody(request)) return request;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw new FaultError(bodyTooLarge(maxBytes));
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
    throw new Error('Other middleware has already read the body: mount the router before it.');
  }
  const bytes = Buffer.from(JSON.stringify(body));
  headers['content-length'] = String(bytes.length);
  delete headers['transfer-encoding'];
  return bytes;
}

/**
 * Reads a complete body. Never resolves if the client disconnects first.
 *
 * @throws FaultError at the first byte beyond `maxBytes`, leaving the rest unread
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
      reject(new FaultError(bodyTooLarge(maxBytes)));
    };
    const onEnd = () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    };
    request.on('data', onData).on('end', onEnd);
  });
}
