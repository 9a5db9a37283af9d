import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import { hasBody } from '../body/request-stream.ts';
import type { Call } from '../call.ts';
import type { BodyWriter, Content, EndResponse, HandlerResponse } from '../route-table.ts';

/** A body of which no more than this is left is read, so that the connection stays open. */
const DRAIN_BYTES = 64 * 1024;

/** How much of a longer body is read, and for how long, before the connection is closed. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MILLISECONDS = 2000;
const endNow: EndResponse = (response, chunk, encoding) => {
  if (chunk === undefined) response.end();
  else response.end(chunk, encoding as BufferEncoding);
};

type HeaderValue = string | readonly string[] | number;

export type HeaderSource = HandlerResponse['headers'];

export type WireBody =
  | string
  | Uint8Array
  | Readable
  | ReadableStream<Uint8Array>
  | BodyWriter
  | undefined;

interface ResponseObserver {
  /** Called when the head was written, so that only the body can still fail. */
  onHead(): void;
  /** Called if the body stream fails while the client is still connected. */
  onError(error: unknown): void;
}

/** @throws Error if the head cannot be sent */
export function writeResponse(
  { request, response }: Call,
  status: number,
  head: Head,
  body: WireBody,
  { onHead, onError }: ResponseObserver,
): void {
  const unread = request.complete ? undefined : isUnread(request);
  if (unread === 'close' && request.httpVersionMajor < 2) {
    head.connection = 'close';
  }
  if (unread === 'drain') request.resume();
  const end = unread === 'close' ? endLater(request) : endNow;
  if (typeof body === 'function') {
    start();
    body(response, end);
    return;
  }
  const isBodiless = request.method === 'HEAD' || status === 204 || status === 304;
  if (isStream(body)) {
    start();
    writeStream(response, body, isBodiless, unread === 'close' ? end : undefined, onError);
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (!isBodiless || (body !== undefined && status !== 204)) head['content-length'] = length;
  else if (status === 204) delete head['content-length'];
  start();
  const sent = isBodiless ? undefined : body;
  // Node.js copies Latin-1, which ASCII is, faster than it encodes UTF-8.
  const isAscii = typeof sent === 'string' && sent.length === length;
  end(response, sent, isAscii ? 'latin1' : 'utf8');

  function start(): void {
    writeHead(response, status, head);
    onHead();
  }
}

function endLater(request: IncomingMessage): EndResponse {
  return (response, chunk, encoding) => {
    // The body may have been read since the response started.
    if (request.complete || request.destroyed) {
      endNow(response, chunk, encoding);
      return;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    endAfterDrain(request, response, bytes);
  };
}

function writeStream(
  response: ServerResponse,
  body: Readable | ReadableStream<Uint8Array>,
  isBodiless: boolean,
  end: EndResponse | undefined,
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
  // Check before `pipeline` destroys the response. If it is already destroyed, the client has
  // disconnected.
  const onFailure = (error: unknown) => {
    if (!response.destroyed) onError(error);
  };
  if (stream.errored) onFailure(stream.errored);
  else stream.once('error', onFailure);
  // Clients of a slow stream need the head immediately.
  flushHead(response);
  // A stream that fails midway destroys the response, so that clients notice the missing rest.
  if (end === undefined) {
    pipeline(stream, response, () => {});
    return;
  }
  pipe(stream, response, { end: false }).then(
    () => end(response),
    () => response.destroy(),
  );
}

/** Unlike `flushHeaders`, which writes UTF-8, it leaves the bytes in headers unchanged. */
function flushHead(response: ServerResponse): void {
  // HTTP/2 has its own response class, and middleware may wrap `write` and hold the head back.
  if (response instanceof ServerResponse)
    ServerResponse.prototype.write.call(response, '', 'latin1');
  else (response as ServerResponse).flushHeaders();
}

/**
 * Ends the response only when the client has sent the rest of its body, or enough of it: data that arrives
 * after a close resets the connection, and the client may then never see the response (RFC 9112, section
 * 9.6).
 */
function endAfterDrain(
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
  // An earlier reader may have paused it.
  request.on('pause', resume);
  request.resume();
}

/** What to do with a body that was not read completely when the response is written. */
function isUnread(request: IncomingMessage): 'drain' | 'close' | undefined {
  if (request.complete || !hasBody(request)) return undefined;
  const length = Number(request.headers['content-length'] ?? Infinity);
  return length <= DRAIN_BYTES && request.headers.expect === undefined ? 'drain' : 'close';
}

export type Head = Record<string, HeaderValue>;

function writeHead(response: ServerResponse, status: number, head: Head): void {
  if (isPlain(response)) {
    response.writeHead(status, head as OutgoingHttpHeaders);
    return;
  }
  try {
    for (const name in head) response.setHeader(name, head[name] as HeaderValue);
  } catch (error) {
    // The response to this error must not inherit these headers.
    for (const name in head) response.removeHeader(name);
    throw error;
  }
  response.writeHead(status);
}

/** Express, and middleware that wraps `writeHead`, need `setHeader`. */
function isPlain(response: ServerResponse): boolean {
  return (
    Object.getPrototypeOf(response) === ServerResponse.prototype &&
    response.writeHead === ServerResponse.prototype.writeHead
  );
}

export function isStream(body: unknown): body is Readable | ReadableStream<Uint8Array> {
  return body instanceof Readable || body instanceof ReadableStream;
}

/** Bytes are sent as is. */
export function isBytes(body: unknown): body is Uint8Array | Readable | ReadableStream<Uint8Array> {
  return body instanceof Uint8Array || isStream(body);
}

export function toWireType(
  { body, contentType }: HandlerResponse,
  content: Content | undefined,
): string {
  const named = contentType ?? content?.mediaType;
  if (named !== undefined && !named.includes('*')) {
    return content?.kind === 'text' && typeof body === 'string' ? withCharset(named) : named;
  }
  if (typeof body === 'string') return 'text/plain; charset=utf-8';
  return isBytes(body) ? 'application/octet-stream' : 'application/json';
}

function withCharset(type: string): string {
  return type.includes(';') ? type : `${type}; charset=utf-8`;
}
