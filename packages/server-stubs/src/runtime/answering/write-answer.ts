import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Call } from '../call.ts';
import type { BodyWriter } from '../route-table.ts';
import { endAfterDrain, isUnread } from './end-after-drain.ts';
import type { Head } from './head.ts';
import { isStream } from './raw-body.ts';

/** A body as it goes over the wire. */
export type WireBody =
  | string
  | Uint8Array
  | Readable
  | ReadableStream<Uint8Array>
  | BodyWriter
  | undefined;

/** Writes an answer whose headers are complete but for its length. */
export function writeAnswer(
  { request, response }: Call,
  status: number,
  head: Head,
  body: WireBody,
): void {
  const unread = request.complete ? undefined : isUnread(request);
  if (unread === 'close' && request.httpVersionMajor < 2) {
    head.remove('connection');
    head.add('connection', 'close');
  }
  if (unread === 'drain') request.resume();
  if (typeof body === 'function') {
    head.write(response, status);
    body(response);
    return;
  }
  const isBodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (isStream(body)) {
    head.write(response, status);
    writeStream(response, body, isBodiless);
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (status === 204 || !(isBodiless && body === undefined)) head.remove('content-length');
  if (!isBodiless || (body !== undefined && status !== 204)) head.add('content-length', length);
  head.write(response, status);
  const sent = isBodiless ? undefined : body;
  if (unread === 'close') {
    endAfterDrain(request, response, sent);
  } else if (typeof sent === 'string' && sent.length === length) {
    // All ASCII: Node copies Latin-1 faster than it encodes UTF-8.
    response.end(sent, 'latin1');
  } else {
    response.end(sent);
  }
}

function writeStream(
  response: ServerResponse,
  body: Readable | ReadableStream<Uint8Array>,
  isBodiless: boolean,
): void {
  const stream = body instanceof Readable ? body : Readable.fromWeb(body as never);
  if (isBodiless) {
    stream.once('error', () => {});
    stream.destroy();
    response.end();
    return;
  }
  // A client of a slow stream wants to know at once that it was let in.
  response.flushHeaders();
  // A stream that fails midway destroys the response: that is how HTTP says that the rest is missing.
  pipeline(stream, response, () => {});
}
