/** The kinds of bodies that handlers return, and how each is written. */
import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BodyWriter, RawBody } from './portable/route-table.ts';

type Stream = Readable | ReadableStream<Uint8Array>;

/** A body in the form in which it is sent. */
export type WireBody = RawBody | BodyWriter | undefined;

export function isBytes(body: unknown): body is Uint8Array | Stream {
  return body instanceof Uint8Array || isStream(body);
}

export function isStream(body: unknown): body is Stream {
  return body instanceof Readable || body instanceof ReadableStream;
}

/** `undefined` if it is not known before the body is written. */
export function lengthOf(body: WireBody): number | undefined {
  if (body === undefined) return 0;
  return typeof body === 'function' || isStream(body) ? undefined : Buffer.byteLength(body);
}

export function discard(body: unknown): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
  else if (body instanceof Readable) body.once('error', () => {}).destroy();
}

export function writeBody(
  response: ServerResponse,
  body: WireBody,
  length: number | undefined,
  onError: (error: unknown) => void,
): void {
  if (typeof body === 'function') body(response);
  else if (isStream(body)) writeStream(response, body, onError);
  // Node.js copies Latin-1, which ASCII is, faster than it encodes UTF-8.
  else response.end(body, body?.length === length ? 'latin1' : 'utf8');
}

/** A stream that fails midway destroys the response, so that clients notice that it is truncated. */
function writeStream(
  response: ServerResponse,
  body: Stream,
  onError: (error: unknown) => void,
): void {
  const stream = body instanceof Readable ? body : Readable.fromWeb(body as never);
  // Before `pipeline` destroys the response. If it is already destroyed, the client has disconnected.
  const onFailure = (error: unknown) => {
    if (!response.destroyed) onError(error);
  };
  if (stream.errored) onFailure(stream.errored);
  else stream.once('error', onFailure);
  // Clients of a slow stream need the head immediately. Unlike `flushHeaders`, which writes UTF-8, this leaves the
  // bytes in headers unchanged, and middleware that wraps `write` cannot hold the head back.
  ServerResponse.prototype.write.call(response, '', 'latin1');
  pipeline(stream, response).catch(() => response.destroy());
}
