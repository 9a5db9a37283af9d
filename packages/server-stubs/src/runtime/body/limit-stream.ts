import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { FaultError } from '../fault-error.ts';
import { tooLarge } from './faults.ts';

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
