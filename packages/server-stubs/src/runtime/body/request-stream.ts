import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { bodyTooLarge } from '../faults.ts';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** A client is waiting for `100 Continue` (RFC 9110, section 10.1.1). */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

export function askToContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** RFC 9112, section 6.3. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** Fails beyond `maxBytes`. A body with a `Content-Length` has already been checked. */
export function limitStream(request: IncomingMessage, maxBytes: number): Readable {
  if (maxBytes === Infinity || request.headers['content-length'] !== undefined) return request;
  let size = 0;
  const limiter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      size += chunk.length;
      if (size > maxBytes) callback(bodyTooLarge(maxBytes));
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
 * If `express.json()` ran first, the original bytes are lost: the parsed value is serialized again, with its
 * own `Content-Length`. A signature over the original bytes no longer matches.
 */
export function toRawRequest(
  request: IncomingMessage & { body?: unknown },
  maxBytes: number,
): Readable {
  if (!hasBody(request)) return request;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    throw bodyTooLarge(maxBytes);
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
 * Never resolves if the client disconnects first. Fails at the first byte beyond `maxBytes`, leaving the
 * rest unread.
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
      reject(bodyTooLarge(maxBytes));
    };
    const onEnd = () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    };
    request.on('data', onData).on('end', onEnd);
  });
}
