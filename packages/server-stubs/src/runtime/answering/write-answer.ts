import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import type { Call } from '../call.ts';
import type { BodyWriter, EndAnswer } from '../route-table.ts';
import { endAfterDrain, isUnread } from './end-after-drain.ts';
import { flushHead } from './flush-head.ts';
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

/** Hears how an answer goes. */
export interface AnswerObserver {
  /** The head was accepted: nothing but the body is left to fail. */
  onHead(): void;
  /** The stream of the body failed while the client was still there. */
  onError(error: unknown): void;
}

/**
 * Writes an answer whose headers are complete but for its length.
 *
 * @throws Error if the head cannot be sent
 */
export function writeAnswer(
  { request, response }: Call,
  status: number,
  head: Head,
  body: WireBody,
  { onHead, onError }: AnswerObserver,
): void {
  const unread = request.complete ? undefined : isUnread(request);
  if (unread === 'close' && request.httpVersionMajor < 2) {
    head.remove('connection');
    head.add('connection', 'close');
  }
  if (unread === 'drain') request.resume();
  if (typeof body === 'function') {
    writeHead();
    body(response, unread === 'close' ? endLater(request) : endNow);
    return;
  }
  const isBodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (isStream(body)) {
    writeHead();
    const end = unread === 'close' ? endLater(request) : undefined;
    writeStream(response, body, isBodiless, end, onError);
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (status === 204 || !(isBodiless && body === undefined)) head.remove('content-length');
  if (!isBodiless || (body !== undefined && status !== 204)) head.add('content-length', length);
  writeHead();
  const sent = isBodiless ? undefined : body;
  if (unread === 'close') {
    endAfterDrain(request, response, sent);
  } else if (typeof sent === 'string' && sent.length === length) {
    // All ASCII: Node copies Latin-1 faster than it encodes UTF-8.
    response.end(sent, 'latin1');
  } else {
    response.end(sent);
  }

  function writeHead(): void {
    head.write(response, status);
    onHead();
  }
}

const endNow: EndAnswer = (response, chunk, encoding) => {
  if (chunk === undefined) response.end();
  else response.end(chunk, encoding as BufferEncoding);
};

function endLater(request: IncomingMessage): EndAnswer {
  return (response, chunk, encoding) => {
    // What was unread when the answer began may have been read since.
    if (request.complete || request.destroyed) endNow(response, chunk, encoding);
    else endAfterDrain(request, response, isText(chunk) ? Buffer.from(chunk, encoding) : chunk);
  };
}

function isText(chunk: string | Uint8Array | undefined): chunk is string {
  return typeof chunk === 'string';
}

/** @param end how to end the response, where it must not simply end with the stream */
function writeStream(
  response: ServerResponse,
  body: Readable | ReadableStream<Uint8Array>,
  isBodiless: boolean,
  end: EndAnswer | undefined,
  onError: (error: unknown) => void,
): void {
  const stream = body instanceof Readable ? body : Readable.fromWeb(body as never);
  if (isBodiless) {
    stream.once('error', () => {});
    stream.destroy();
    if (end === undefined) response.end();
    else end(response);
    return;
  }
  // Before `pipeline` destroys the response: once that is destroyed, the client has gone.
  const onFailure = (error: unknown) => {
    if (!response.destroyed) onError(error);
  };
  if (stream.errored) onFailure(stream.errored);
  else stream.once('error', onFailure);
  // A client of a slow stream wants to know at once that it was let in.
  flushHead(response);
  // A stream that fails midway destroys the response: that is how HTTP says that the rest is missing.
  if (end === undefined) {
    pipeline(stream, response, () => {});
    return;
  }
  pipe(stream, response, { end: false }).then(
    () => end(response),
    () => response.destroy(),
  );
}
