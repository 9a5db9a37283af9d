import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Transform } from 'node:stream';
import { FaultError, tooLarge } from '../faults.ts';

/** Responses whose clients still wait for the word to send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that the client of `checkContinue` waits (RFC 9110, section 10.1.1). */
export function holdBody(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Asks a client that waits for its body, once. */
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
 * The body of a request as a stream that fails beyond `maxBytes`. One whose length is announced has been
 * judged already and passes as it is.
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
  // Whoever reads learns of errors; a handler that does not read must not end the process.
  limiter.on('error', () => {});
  // The request must outlive the limiter, so that the refusal can still be answered.
  request.pipe(limiter);
  request.once('close', () => {
    const gone = new Error('The client went away.');
    if (!request.complete) limiter.destroy(Object.assign(gone, { code: 'ECONNRESET' }));
  });
  return limiter;
}

/**
 * The body of a pass-through operation: the request itself where no limit has to be counted.
 *
 * Where `express.json()` ran before, the bytes are gone; its value is written anew, and the header
 * `Content-Length` is set to the new length. A signature over the original bytes then no longer fits.
 *
 * @throws FaultError for a body that is announced to be too large
 * @throws Error where something else has read the body
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
 * Reads a complete body. It never resolves if the client goes away first: nobody is left to respond to.
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
    const onEnd = () => resolve(Buffer.concat(chunks, size));
    request.on('data', onData).on('end', onEnd);
  });
}
