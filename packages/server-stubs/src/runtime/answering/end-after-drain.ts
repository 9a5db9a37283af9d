import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from '../body/has-body.ts';

/** A rest that is announced and at most this long is read, and the connection stays open. */
const DRAIN_BYTES = 64 * 1024;
/** How much of a longer rest is read, and how long, before the connection is closed. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MILLISECONDS = 2000;

/** What becomes of a body that was not read to its end when the answer is written. */
export function isUnread(request: IncomingMessage): 'drain' | 'close' | undefined {
  if (request.complete || !hasBody(request)) return undefined;
  const length = Number(request.headers['content-length'] ?? Infinity);
  return length <= DRAIN_BYTES && request.headers.expect === undefined ? 'drain' : 'close';
}

/**
 * Writes the whole answer, but ends it, and with it the connection, only when the client has sent its
 * rest or enough of it: data that comes in after a close resets the connection, and the client may
 * never see the answer (RFC 9112, section 9.6).
 */
export function endAfterDrain(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Uint8Array | undefined,
): void {
  let size = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', onData).off('pause', resume);
    if (!response.writableEnded) response.end();
  };
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > LINGER_BYTES) end();
  };
  const resume = () => {
    request.resume();
  };
  const timer = setTimeout(end, LINGER_MILLISECONDS).unref();
  if (body === undefined) response.flushHeaders();
  else response.write(body);
  request.unpipe();
  request.on('data', onData);
  request.once('end', end);
  request.once('close', end);
  // Whoever read before may still let go of it.
  request.on('pause', resume);
  request.resume();
}
