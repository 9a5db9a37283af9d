import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Call } from '../call.ts';
import { endAfterDrain, isUnread } from './end-after-drain.ts';
import { isStream } from './raw-body.ts';

/** A body as it goes over the wire. */
export type WireBody = string | Uint8Array | Readable | ReadableStream<Uint8Array> | undefined;

/**
 * Writes an answer whose headers are complete but for its length.
 *
 * @param head by lower-case name
 */
export function writeAnswer(
  { request, response }: Call,
  status: number,
  head: OutgoingHttpHeaders,
  body: WireBody,
): void {
  const unread = isUnread(request);
  if (unread === 'close' && request.httpVersionMajor < 2) head.connection = 'close';
  if (unread === 'drain') request.resume();
  const isBodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (isStream(body)) {
    response.writeHead(status, head);
    writeStream(response, body, isBodiless);
    return;
  }
  if (status === 204) delete head['content-length'];
  else if (body !== undefined && status !== 304) head['content-length'] = Buffer.byteLength(body);
  else if (!isBodiless) head['content-length'] = 0;
  response.writeHead(status, head);
  const sent = isBodiless ? undefined : body;
  if (unread === 'close') endAfterDrain(request, response, sent);
  else if (sent === undefined) response.end();
  else response.end(sent);
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
