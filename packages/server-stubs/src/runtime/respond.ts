import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasBody } from './body.ts';
import type { Call } from './call.ts';
import { type ErrorWithResponse, HttpError, hasResponse, toResponse } from './faults.ts';
import { findContent, type HeaderValue, headerOf } from './headers.ts';
import type { Settings } from './options.ts';
import { createNullObject } from './parameters.ts';
import type { BodyWriter, Content, DocumentedResponse, HandlerResponse } from './route-table.ts';
import { UpgradeResponse } from './upgrade.ts';
import { toViolation } from './validation.ts';

type Stream = Readable | ReadableStream<Uint8Array>;
type WireBody = string | Uint8Array | Stream | BodyWriter | undefined;
type HeaderSource = HandlerResponse['headers'];
type Head = Record<string, Exclude<HeaderValue, undefined>>;

/** Sends the response to a call: what a handler returned, or an error. */
export class Responder {
  readonly #call: Call;
  readonly #settings: Settings;
  readonly #challenge: string | undefined;

  /** @param challenge `WWW-Authenticate` of each 401, unless an error has its own */
  constructor(call: Call, settings: Settings, challenge: string | undefined) {
    this.#call = call;
    this.#settings = settings;
    this.#challenge = challenge;
  }

  /** @throws HttpError if responses are checked and this one is invalid; TypeError if it is not a response */
  respond(result: HandlerResponse): void {
    const { response, operationId, route } = this.#call;
    if (response.headersSent) return;
    const isOpen = result?.status === 101 && response instanceof UpgradeResponse;
    if (!isOpen && !(result?.status >= 200 && result.status <= 599)) {
      throw new TypeError(
        `The handler for ${operationId} must return a response with a status from 200 to 599.`,
      );
    }
    // Browsers do not apply CORS to WebSockets.
    const head = toHead(result.headers, isOpen ? undefined : this.#settings.headers?.(this.#call));
    if (route === undefined || route.passThrough) {
      // Unchanged: no content type is added, and strings are not serialized.
      this.#write(result, head, result.body as WireBody);
      return;
    }
    const documented = findResponse(route.responses, result.status);
    const content = documented && contentOf(documented, result);
    const isChecked = this.#settings.responses === 'check';
    const violation = isChecked ? findViolation(documented, content, result, head) : undefined;
    if (violation !== undefined) {
      discard(result.body);
      const cause = new TypeError(`The response violates the document: ${violation}`);
      this.#report(cause);
      const message = 'The server produced a response that the contract does not allow.';
      throw new HttpError('invalid-response', message, { cause });
    }
    this.#send(result, content, head);
  }

  /** Sends the response that an error defines, or a 500 for any other error. Never rejects. */
  async fail(error: unknown): Promise<void> {
    const { response } = this.#call;
    if (isDisconnect(error, this.#call)) return;
    if (!hasResponse(error) || response.headersSent) this.#report(error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    try {
      await this.#sendError(hasResponse(error) ? error : toInternalError(error));
    } catch (failure) {
      this.#report(failure);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { connection: 'close' }).end();
    }
  }

  async #sendError(error: ErrorWithResponse): Promise<void> {
    const { onFault, toError, headers } = this.#settings;
    let converted = error;
    let required: HeaderSource;
    if (error instanceof HttpError) {
      const fault = onFault?.(error, this.#call) ?? error;
      converted = toError === undefined ? fault : await toError(fault, this.#call);
      required = fault.headers;
    }
    if (this.#call.response.destroyed) return;
    const result = converted[toResponse](this.#call);
    const head = toHead(result.headers, required, headers?.(this.#call));
    if (result.status === 401 && this.#challenge) head['www-authenticate'] ??= this.#challenge;
    this.#send(result, undefined, head, converted);
  }

  #send(
    result: HandlerResponse,
    content: Content | undefined,
    head: Head,
    error?: ErrorWithResponse,
  ): void {
    const { encodeBody } = this.#settings;
    const body = encodeBody === undefined ? result.body : encodeBody(result.body);
    if (body !== undefined) head['content-type'] ??= toMediaType(result, content);
    const isRaw = isBytes(body) || (typeof body === 'string' && content?.kind !== 'json');
    this.#write(result, head, isRaw ? body : JSON.stringify(body), error);
  }

  #write(result: HandlerResponse, head: Head, body: WireBody, error?: ErrorWithResponse): void {
    const { request, response } = this.#call;
    const { status } = result;
    const isBodiless = request.method === 'HEAD' || status === 204 || status === 304;
    try {
      const length = lengthOf(body);
      if (status === 204) delete head['content-length'];
      else if (length !== undefined && (!isBodiless || body !== undefined)) {
        head['content-length'] = length;
      }
      writeHead(response, status, head);
      this.#settings.onResponse?.(result, this.#call, error);
      if (!request.complete && hasBody(request)) drainAfter(request, response);
      if (typeof body === 'function') {
        body(response);
      } else if (isBodiless) {
        discard(body);
        response.end();
      } else if (isStream(body)) {
        writeStream(response, body, (error) => this.#report(error));
      } else {
        // Node.js copies Latin-1, which ASCII is, faster than it encodes UTF-8.
        response.end(body, body?.length === length ? 'latin1' : 'utf8');
      }
    } catch (error) {
      discard(body);
      throw error;
    }
  }

  #report(error: unknown): void {
    try {
      this.#settings.onError(error, this.#call);
    } catch {
      // A failing log must not affect the response.
    }
  }
}

function toInternalError(cause: unknown): HttpError {
  return new HttpError('handler-failed', 'Internal server error.', { cause });
}

/** Merges headers by their lowercase names. The first source takes precedence. */
function toHead(...sources: readonly HeaderSource[]): Head {
  const head = createNullObject() as Head;
  for (const source of sources) {
    for (const name in source) {
      const value = source[name];
      if (value !== undefined) head[name.toLowerCase()] ??= value;
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

function discard(body: unknown): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
  else if (body instanceof Readable) body.once('error', () => {}).destroy();
}

/** The response for the status itself, its range (`4XX`), or `default`. */
function findResponse(
  responses: readonly DocumentedResponse[],
  status: number,
): DocumentedResponse | undefined {
  const find = (name: string) => responses.find((response) => response.status === name);
  return find(`${status}`) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default');
}

/** Selected by its `contentType` if set, then by its `Content-Type` header, and otherwise JSON or the first. */
function contentOf(
  { content }: DocumentedResponse,
  { contentType, headers = {} }: HandlerResponse,
): Content | undefined {
  const named = contentType ?? headerOf(headers, 'content-type');
  if (named !== undefined) return findContent(content, named);
  return content.find(({ mediaType }) => mediaType === 'application/json') ?? content[0];
}

function toMediaType({ body, contentType }: HandlerResponse, content: Content | undefined): string {
  const named = contentType ?? content?.mediaType ?? '*';
  const isText = typeof body === 'string';
  if (!named.includes('*')) {
    const needsCharset = content?.kind === 'text' && isText && !named.includes(';');
    return needsCharset ? `${named}; charset=utf-8` : named;
  }
  if (isText) return 'text/plain; charset=utf-8';
  return isBytes(body) ? 'application/octet-stream' : 'application/json';
}

function findViolation(
  documented: DocumentedResponse | undefined,
  content: Content | undefined,
  { status, body }: HandlerResponse,
  head: Head,
): string | undefined {
  if (documented === undefined) return `The status ${status} is not documented.`;
  const missing = documented.requiredHeaders?.find((name) => head[name] === undefined);
  if (missing !== undefined) return `The ${missing} header is missing.`;
  const isEmpty = status === 204 || status === 304 || documented.content.length === 0;
  if (isEmpty !== (body === undefined)) {
    return `A ${status} must ${isEmpty ? 'not ' : ''}have a body.`;
  }
  if (body === undefined) return undefined;
  if (content === undefined) return `The media type is not documented for ${status}.`;
  const { kind, mediaType, validate } = content;
  if (kind === 'json' ? isBytes(body) : !isBytes(body) && typeof body !== 'string') {
    const type = kind === 'json' ? 'a JavaScript value, not bytes' : 'a string, bytes or a stream';
    return `The ${mediaType} body must be ${type}.`;
  }
  const isChecked = kind === 'json' || (kind === 'text' && !isBytes(body));
  if (!isChecked || validate === undefined || validate(body)) return undefined;
  return toViolation(body, validate.errors, 'response', 'response', '/body').message;
}

function isBytes(body: unknown): body is Uint8Array | Stream {
  return body instanceof Uint8Array || isStream(body);
}

function isStream(body: unknown): body is Stream {
  return body instanceof Readable || body instanceof ReadableStream;
}

function lengthOf(body: WireBody): number | undefined {
  if (body === undefined) return 0;
  return typeof body === 'function' || isStream(body) ? undefined : Buffer.byteLength(body);
}

/** How much of an unread body is read after the response, and for how long, before the connection is closed. */
const DRAIN_BYTES = 16 * 1024 * 1024;
const DRAIN_MILLISECONDS = 2000;

/**
 * Reads what the client still sends. Data that arrives after a close would reset the connection, and the client may
 * then never see the response (RFC 9112, section 9.6).
 */
function drainAfter(request: IncomingMessage, response: ServerResponse): void {
  // Before Node's own listener, which would read a body that nobody has touched without any limit.
  response.prependOnceListener('finish', () => {
    const { socket } = request;
    const close = () => {
      if (!request.complete) socket.destroy();
    };
    const timer = setTimeout(close, DRAIN_MILLISECONDS).unref();
    let size = 0;
    request.unpipe();
    request
      .once('end', () => clearTimeout(timer))
      .on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > DRAIN_BYTES) close();
      });
    // An earlier reader may have paused it.
    request.resume();
  });
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

/** A stream that fails midway destroys the response, so that clients notice the missing rest. */
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
