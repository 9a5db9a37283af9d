import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { finished, PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Settings } from './options.ts';
import { isJsonType, kindOf } from './portable/body.ts';
import type { BodyWriter, Call, HandlerResponse, RawBody } from './portable/call.ts';
import { createNullObject } from './portable/encoding.ts';
import { findContent, type HeaderValue, MERGED_HEADERS } from './portable/headers.ts';
import {
  type ErrorWithResponse,
  HttpError,
  hasResponse,
  toResponse,
} from './portable/http-error.ts';
import type { Content, DocumentedResponse, Route, RouteTable } from './portable/route-table.ts';
import { toViolation } from './portable/validation.ts';
import { drainAfter } from './receive.ts';
import { toChallenge } from './security.ts';
import type { UpgradeResponse } from './upgrade-response.ts';

type Head = Record<string, Exclude<HeaderValue, undefined>>;

type Stream = Readable | ReadableStream<Uint8Array>;

/** The documented content of a response. With `unchanged`, a body is sent as is. */
type Documented = readonly Content[] | 'unchanged' | undefined;

/** `send` drops its body if the response cannot have one. */
type SentResponse = ReturnType<typeof toSentResponse>;

/** Creates functions that send the responses of a router: what handlers returned, or errors. */
export function createResponder(table: RouteTable, settings: Settings) {
  const { headers: findHeaders, responses, toError, encodeBody, onResponse, onError } = settings;

  /** @throws TypeError if it is not a response, or, if responses are checked, not as documented */
  function respond(call: Call, result: HandlerResponse): void {
    try {
      // The handler may have sent the response itself.
      if (call.response.headersSent) discard(result?.body);
      else if (result?.status === 101 && call.isUpgrade) switchProtocols(call, result);
      else respondWith(call, result);
    } catch (error) {
      discard(result?.body);
      throw error;
    }
  }

  function switchProtocols(call: Call, result: HandlerResponse): void {
    const { headers, open } = result;
    const response = call.response as UpgradeResponse;
    if (open === undefined) throw new TypeError('A response with status 101 must have `open`.');
    if (headers !== undefined) writeHead(response, 101, toHead([headers]));
    onResponse?.(result, call);
    response.handOver(open, headers !== undefined);
  }

  function respondWith(call: Call, result: HandlerResponse): void {
    const { operationId, route } = call;
    if (!(result?.status >= 200 && result.status <= 599)) {
      throw new TypeError(
        `The handler for ${operationId} must return a response with a status from 200 to 599.`,
      );
    }
    const documented = route && findResponse(route, result.status)?.content;
    const content = route?.passThrough ? 'unchanged' : documented;
    const sources = [result.headers, findHeaders?.(call)];
    const sent = toSentResponse(call, result, encodeBody, sources, content);
    if (responses === 'check' && content !== 'unchanged') {
      const violation = findViolation(call, result, sent, isBytes(result.body));
      if (violation) throw new TypeError(`The response violates the document: ${violation}`);
    }
    send(call, result, sent);
  }

  /**
   * Sends the response that an error defines. Any other error is passed to `onError`, and becomes an `HttpError` with
   * status 500. `toError` converts each `HttpError`, for example to a `GatewayError`. Never rejects.
   */
  async function fail(call: Call, error: unknown): Promise<void> {
    const { response } = call;
    if (isDisconnect(error, call)) return;
    if (!hasResponse(error) || response.headersSent) onError(error, call);
    if (response.headersSent) {
      // Clients must notice that it is truncated.
      response.destroy();
      return;
    }
    let commonHeaders: HandlerResponse['headers'];
    try {
      commonHeaders = findHeaders?.(call);
      let converted: ErrorWithResponse = hasResponse(error)
        ? error
        : new HttpError('handler-failed', 'Internal server error.', { cause: error });
      let required: HandlerResponse['headers'];
      if (converted instanceof HttpError) {
        required = converted.headers;
        if (toError !== undefined) converted = await toError(converted, call);
      }
      if (response.destroyed) return;
      const result = converted[toResponse](call);
      const challenge = result.status === 401 ? toChallenge(table, call.route) : undefined;
      const sources = [required, result.headers, commonHeaders, challenge];
      send(call, result, toSentResponse(call, result, encodeBody, sources), converted);
    } catch (failure) {
      onError(failure, call);
      if (response.headersSent) response.destroy();
      else endAfterFailure(response, toHead([commonHeaders]));
    }
  }

  /** @param error the error that caused this response */
  function send(
    call: Call,
    result: HandlerResponse,
    { status, headers, body }: SentResponse,
    error?: ErrorWithResponse,
  ): void {
    const { request, response } = call;
    // A stream may depend on the body of the request.
    if (status < 400 && (typeof body === 'function' || isStream(body))) call.sendContinue();
    writeHead(response, status, headers);
    onResponse?.(result, call, error);
    drainAfter(response);
    if (typeof body === 'function') body(response);
    else if (isBodiless(request, status)) {
      discard(body);
      response.end();
    } else if (isStream(body)) writeStream(response, body, (failure) => onError(failure, call));
    // If it has one byte per character, it is ASCII, which Node.js copies faster as Latin-1 than it encodes UTF-8.
    else response.end(body, body?.length === headers['content-length'] ? 'latin1' : 'utf8');
  }

  return { respond, fail };
}

/** The response for the status itself, its range (`4XX`), or `default`. */
function findResponse({ responses }: Route, status: number): DocumentedResponse | undefined {
  const find = (name: string) => responses.find((response) => response.status === name);
  return find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}

/**
 * Returns how a response violates the document, or `undefined`. For development (`responses: 'check'`).
 *
 * @param isBytes whether the body is bytes or a stream of bytes, whose content is not checked
 */
function findViolation(
  { request, route }: Call,
  result: HandlerResponse,
  { headers, content }: SentResponse,
  isBytes: boolean,
): string | undefined {
  if (route === undefined) return undefined;
  const { status, body } = result;
  const documented = findResponse(route, status);
  if (documented === undefined) return `The status ${status} is not documented.`;
  const missing = documented.requiredHeaders?.find((name) => headers[name] === undefined);
  if (missing !== undefined) return `The ${missing} header is missing.`;
  const isEmpty = status === 204 || status === 304 || documented.content.length === 0;
  if (body === undefined) {
    const isOptional = isEmpty || request.method === 'HEAD';
    return isOptional ? undefined : `A ${status} must have a body.`;
  }
  if (isEmpty) return `A ${status} must not have a body.`;
  if (content === undefined) return `The media type is not documented for ${status}.`;
  const { kind, mediaType, validate } = content;
  const isJson = kind === 'json';
  if (isJson ? isBytes : !isBytes && typeof body !== 'string') {
    const type = isJson ? 'a JavaScript value, not bytes' : 'a string, bytes or a stream';
    return `The ${mediaType} body must be ${type}.`;
  }
  if (isBytes || validate === undefined) return undefined;
  // As it is sent: a `Date` becomes a string.
  const json = JSON.parse(JSON.stringify(body));
  return validate(json)
    ? undefined
    : toViolation(json, validate.errors, 'response', '/body').message;
}

/**
 * Returns a response as it is sent, with its media type and length.
 *
 * @param sources headers. The first source takes precedence
 */
function toSentResponse(
  { request }: Call,
  { status, contentType, body: value }: HandlerResponse,
  encodeBody: Settings['encodeBody'],
  sources: readonly HandlerResponse['headers'][],
  documented?: Documented,
) {
  const headers = toHead(sources);
  const header = headers['content-type']?.toString();
  const encoded = encodeBody(value);
  const { body, mediaType, content } = toContent(encoded, documented, contentType, header);
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  if (status === 204) delete headers['content-length'];
  else if (body === undefined) {
    if (!isBodiless(request, status)) headers['content-length'] = 0;
  } else if (typeof body !== 'function' && !isStream(body)) {
    headers['content-length'] = Buffer.byteLength(body);
  }
  return { status, headers, body, content };
}

/** A body as it is sent, with its media type. What is neither bytes nor text becomes JSON. */
function toContent(value: unknown, documented: Documented, contentType?: string, header?: string) {
  let body = value as RawBody | BodyWriter | undefined;
  if (documented === 'unchanged') return { body, mediaType: contentType };
  if (body === undefined) return { body };
  if (typeof body === 'function') throw new TypeError('The body of a response is a function.');
  const { mediaType, content } = selectMediaType(body, documented, contentType, header);
  // A range such as `*/*` may contain JSON, but a string with another type is text.
  const isJson = content?.kind === 'json' && isJsonType(mediaType);
  if (!isBytes(body) && (typeof body !== 'string' || isJson)) body = JSON.stringify(body);
  return { body, mediaType, content };
}

/**
 * Selects the media type of a body, and the documented content that it belongs to:
 * 1. the `contentType` of the response
 * 2. its `Content-Type` header, as is
 * 3. `application/json` if it is documented, otherwise the first documented media type
 * 4. for a range such as `text/*`, or if nothing is documented: the type of the body
 */
function selectMediaType(
  body: RawBody,
  documented: readonly Content[] = [],
  contentType?: string,
  header?: string,
) {
  const isJson = ({ mediaType }: Content) => mediaType === 'application/json';
  const explicit = contentType ?? header;
  const content =
    explicit === undefined
      ? (documented.find(isJson) ?? documented[0])
      : findContent(documented, explicit);
  if (contentType === undefined && header !== undefined) return { mediaType: header, content };
  const mediaType = contentType ?? content?.mediaType ?? '*';
  const isText = typeof body === 'string';
  if (!mediaType.includes('*')) {
    const needsCharset = isText && !mediaType.includes(';') && kindOf(mediaType, true) === 'text';
    return { mediaType: needsCharset ? `${mediaType}; charset=utf-8` : mediaType, content };
  }
  if (isBytes(body)) return { mediaType: 'application/octet-stream', content };
  const inferred =
    isText && content?.kind !== 'json' ? 'text/plain; charset=utf-8' : 'application/json';
  return { mediaType: inferred, content };
}

function isBodiless({ method }: IncomingMessage, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** Merges headers by their lowercase names. The first source takes precedence, except in lists. */
function toHead(sources: readonly HandlerResponse['headers'][]): Head {
  const head: Head = createNullObject();
  for (const source of sources) {
    for (const name in source) {
      const value = source[name];
      if (value === undefined) continue;
      const key = name.toLowerCase();
      if (head[key] === undefined) head[key] = value;
      else if (MERGED_HEADERS.has(key) && head[key] !== value) head[key] = `${value}, ${head[key]}`;
    }
  }
  return head;
}

/** Names and codes of errors that streams and signals throw once the client has disconnected. */
const DISCONNECTS = ['AbortError', 'ABORT_ERR', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'];

function isDisconnect(error: unknown, { request, response }: Call): boolean {
  const isGone = response.destroyed || (request.destroyed && !request.complete);
  if (!isGone || !(error instanceof Error)) return false;
  const { name, code = name } = error as NodeJS.ErrnoException;
  return DISCONNECTS.includes(name) || DISCONNECTS.includes(code);
}

function writeHead(response: ServerResponse, status: number, head: Head): void {
  try {
    response.writeHead(status, head as OutgoingHttpHeaders);
  } catch (error) {
    // The response to this error must not inherit these headers.
    for (const name in head) response.removeHeader(name);
    throw error;
  }
}

/** The last resort, without any headers that cannot be sent. */
function endAfterFailure(response: ServerResponse, head: Head): void {
  for (const name in head) {
    try {
      response.setHeader(name, head[name] as string);
    } catch {}
  }
  response.writeHead(500, { connection: 'close' }).end();
}

function isBytes(body: unknown): body is Uint8Array | Stream {
  return body instanceof Uint8Array || isStream(body);
}

function isStream(body: unknown): body is Stream {
  return body instanceof Readable || body instanceof ReadableStream;
}

export function discard(body: unknown): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
  else if (body instanceof Readable) body.once('error', () => {}).destroy();
}

/**
 * A stream that fails midway destroys the response, so that clients notice that it is truncated. Its error is reported
 * unless the client has disconnected.
 */
function writeStream(response: ServerResponse, body: Stream, onError: (error: unknown) => void) {
  const source = body instanceof Readable ? body : Readable.fromWeb(body as NodeStream);
  const streams = [source];
  // An object that is written to a response ends the process in Node.js 22. Here, it fails the stream.
  if (source.readableObjectMode) streams.push(new PassThrough({ writableObjectMode: true }));
  for (const stream of streams) {
    // Before `pipeline`, which destroys the response.
    finished(stream, { writable: false }, (error) => {
      if (error && !response.destroyed) onError(error);
    });
  }
  // Clients of a slow stream need the head immediately. Unlike `flushHeaders`, which writes UTF-8, this leaves the
  // bytes in headers unchanged, and middleware that wraps `write` cannot hold the head back.
  ServerResponse.prototype.write.call(response, '', 'latin1');
  pipeline([...streams, response]).catch(() => response.destroy());
}
