import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '@berth/server-stubs';
import { CORS, type Cors, countHosts, toResponse } from '@berth/server-stubs/contract';
import { type Refusal, recordOf } from './caller-request.ts';

/**
 * Maximum number of requests that a connection may have open. Node parses all requests of a chunk at once, whether their
 * responses can be sent or not: 64 KiB of short ones take 9 MB.
 */
const MAX_PIPELINED = 64;

/** A caller that sends fewer bytes of a body than this in `stalledSeconds` is too slow. */
const SLOW_BYTES = 1024;

export const MAX_HEADERS = 200;

// The connection sends a refusal and drops the request. A router sends a rejection.

const badRequest = (status: number, message: string) =>
  new GatewayError('INVALID_REQUEST', { status, message });

const MALFORMED = badRequest(400, 'The request is not valid HTTP.');
const TOO_LARGE = badRequest(431, 'The request line and headers are too large.');
const TOO_SLOW = badRequest(408, 'The request body arrived too slowly.');

const UNKNOWN_CODING = badRequest(400, 'The only supported Transfer-Encoding is chunked.');
const BAD_HOST = new GatewayError('INVALID_HOST', {
  message: 'The Host header is missing or duplicated.',
});

/** D11: "any other method gets a 405 with the error body". Node has no response for this one. */
const NO_TUNNELS = new GatewayError('METHOD_NOT_ALLOWED', {
  message: 'CONNECT is not supported.',
  headers: { allow: CORS.allowMethods.gateway.join(', ') },
});

const REFUSALS: Readonly<Record<string, GatewayError>> = {
  HPE_HEADER_OVERFLOW: TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: badRequest(413, 'The chunk extensions are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: badRequest(408, 'The request took too long to arrive.'),
};

/** What refusals need of the application, which a reload replaces. */
export interface Refusals {
  /** So that pages can read refusals. */
  readonly cors: Cors;
  /** The request is undefined if it cannot be parsed. */
  readonly onRefused: (refusal: Refusal, request?: IncomingMessage) => void;
}

/**
 * A connection from a caller: accepts or refuses what arrives, and finds slow bodies and unread responses. Node closes
 * connections that are idle, or whose headers arrive slowly, but its other limits do not work: `requestTimeout` limits the
 * total time, and would abort long uploads; the socket timeout would end idle streams, and a single byte resets it.
 */
export class CallerConnection {
  readonly #socket: Socket;
  readonly #getRefusals: () => Refusals;
  request: IncomingMessage | undefined;
  /** In the order of their requests, in which they also end. */
  readonly #responses: ServerResponse[] = [];
  /** The body that is arriving, and the bytes received at the last check. */
  #body: { readonly request: IncomingMessage; since: number; bytes: number } | undefined;
  #unreadSince: number | undefined;
  #bytesSent = 0;

  constructor(socket: Socket, getRefusals: () => Refusals) {
    this.#socket = socket;
    this.#getRefusals = getRefusals;
  }

  /**
   * Returns whether a request is to be served. Otherwise, it has been refused.
   * @param response undefined for an upgrade
   */
  accept(request: IncomingMessage, response?: ServerResponse): boolean {
    // An earlier request of the same chunk may have been refused.
    if (!this.#socket.writable) return false;
    const error = findFramingError(request);
    if (error !== undefined) {
      if (this.#findOpen().length === 0) this.#send(error, request);
      else this.abort();
      return false;
    }
    while (this.#responses[0]?.writableFinished) this.#responses.shift();
    this.request = request;
    // After an upgrade, Node no longer reads HTTP, and would not notice the end of an earlier call.
    const isBlocked = response === undefined && this.#responses.length > 0;
    if (response !== undefined) this.#responses.push(response);
    if (!isBlocked && this.#responses.length <= MAX_PIPELINED) return true;
    this.abort();
    return false;
  }

  /**
   * Refuses what is arriving: a request that cannot be parsed, or the body of the last one. The connection is only
   * closed if the refusal could be mistaken for (a part of) the response to another request.
   *
   * | What is refused                    | Open responses      | Refusal                       |
   * | ---------------------------------- | ------------------- | ----------------------------- |
   * | a bad request                      | none                | yes                           |
   * | the same, pipelined                | of earlier requests | no: they come first           |
   * | a body that is arriving            | its own             | yes: it is the response       |
   * | the same, pipelined                | of several requests | no: the others come first     |
   * | a body, after its response began   | its own             | no: it would be a part of it  |
   * | a body, after its response ended   | none                | no: it would be a second one  |
   */
  refuse(error: GatewayError): void {
    const { request } = this;
    const [current, other] = this.#findOpen();
    const isBody = request?.complete === false;
    const isResponse = isBody && current && other === undefined && !current.headersSent;
    const isBadRequest = !isBody && current === undefined;
    const { writable } = this.#socket;
    if (writable && (isResponse || isBadRequest)) this.#send(error, isBody ? request : undefined);
    else this.abort();
  }

  #findOpen(): readonly ServerResponse[] {
    return this.#responses.filter(({ writableFinished }) => !writableFinished);
  }

  /** Sends a refusal in the contract's error format, and closes the connection. */
  #send(error: GatewayError, refused?: IncomingMessage): void {
    const socket = this.#socket;
    const { cors, onRefused } = this.#getRefusals();
    // A service may have received the ID of the call.
    const requestId = (refused && recordOf(refused).call?.requestId) ?? randomUUID();
    // A connection on which nothing arrived had no request.
    if (socket.bytesRead > 0) onRefused({ kind: 'refused', error, requestId }, refused);
    const request = refused ?? UNPARSED_REQUEST;
    const response = error[toResponse]({ request, requestId });
    const body = JSON.stringify(response.body);
    const headers = {
      ...response.headers,
      ...cors.response(request.headers.origin),
      'content-length': Buffer.byteLength(body),
      connection: 'close',
      date: new Date().toUTCString(),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { status } = error;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
    // RFC 9110, section 9.3.2.
    socket.end(request.method === 'HEAD' ? head : head + body, () => socket.destroy());
  }

  /** Closes the connection. Its calls end without a response, or with a part of it. */
  abort(): void {
    // The caller may have reset the connection.
    if (this.#socket.destroyed) return;
    const open: (IncomingMessage | undefined)[] = this.#findOpen().map(({ req }) => req);
    // An upgrade has no response.
    if (this.request !== this.#responses.at(-1)?.req) open.push(this.request);
    for (const request of open) if (request) recordOf(request).end({ kind: 'aborted' });
    this.#socket.destroy();
  }

  /**
   * Ends pipelined responses that were still waiting when the connection closed. Node does not end them after an
   * upgrade, and before version 24 never: their calls would stay active.
   */
  close(): void {
    for (const response of this.#responses) {
      response.destroy();
      setImmediate(() => {
        if (!response.closed) response.emit('close');
      });
    }
  }

  /** Aborts or refuses what has stalled. Must be called several times per `stalledMilliseconds`. */
  endIfStalled(now: number, stalledMilliseconds: number): void {
    if (this.#isUnread(now, stalledMilliseconds)) this.abort();
    else if (this.#isBodyStalled(now, stalledMilliseconds)) this.refuse(TOO_SLOW);
  }

  #isUnread(now: number, stalledMilliseconds: number): boolean {
    const pending = this.#socket.writableLength;
    const sent = this.#socket.bytesWritten - pending;
    if (pending === 0 || sent !== this.#bytesSent || this.#unreadSince === undefined) {
      this.#bytesSent = sent;
      this.#unreadSince = now;
    }
    return now - this.#unreadSince >= stalledMilliseconds;
  }

  /** Returns whether a body arrives too slowly, or goes on after the response. */
  #isBodyStalled(now: number, stalledMilliseconds: number): boolean {
    const { request } = this;
    if (request === undefined || request.complete || request.destroyed) {
      this.#body = undefined;
      return false;
    }
    const { bytesRead } = this.#socket;
    if (this.#body?.request !== request) this.#body = { request, since: now, bytes: bytesRead };
    const { since, bytes } = this.#body;
    if (now - since < stalledMilliseconds) return false;
    this.#body = { request, since: now, bytes: bytesRead };
    if (this.#responses.at(-1)?.writableFinished) return true;
    return bytesRead - bytes < SLOW_BYTES && !isReadingPaused(request);
  }
}

/** Returns whether the body is slow only because this server is not reading it. */
function isReadingPaused(request: IncomingMessage): boolean {
  const isUntouched = request.readableFlowing === null && request.listenerCount('readable') === 0;
  return isUntouched || request.readableLength > 0;
}

const UNPARSED_REQUEST = { method: 'GET', headers: {} } as IncomingMessage;

/** Returns the error for what Node cannot parse, or does not wait for any longer. */
export function toRefusal({ code = '' }: NodeJS.ErrnoException): GatewayError {
  return REFUSALS[code] ?? MALFORMED;
}

/**
 * Finds what Node accepts and HTTP or the contract does not. RFC 9112, section 6.1: "A server … that receives an
 * HTTP/1.0 message containing a Transfer-Encoding header field MUST treat the message as if the framing is faulty": an
 * HTTP/1.0 proxy would find its end elsewhere. Only HTTP/1 is supported here, although Node accepts `HTTP/2.0`.
 */
function findFramingError(request: IncomingMessage): GatewayError | undefined {
  // Before Node 24, excess headers were only dropped from `headers`, and still forwarded.
  if (request.rawHeaders.length > MAX_HEADERS * 2) return TOO_LARGE;
  const { httpVersionMajor, httpVersionMinor, headers } = request;
  const coding = headers['transfer-encoding'];
  if (httpVersionMajor !== 1) return MALFORMED;
  if (httpVersionMinor === 0 && coding !== undefined) return MALFORMED;
  // Only the chunks are decoded here, and a service would not learn about the other coding.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return UNKNOWN_CODING;
  // RFC 9112, section 3.2: a request without `Host`, or with several, "MUST" be refused.
  const hosts = countHosts(request);
  if (hosts > 1 || (hosts === 0 && httpVersionMinor === 1)) return BAD_HOST;
  return request.method === 'CONNECT' ? NO_TUNNELS : undefined;
}
