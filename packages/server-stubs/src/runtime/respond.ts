import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { finished, PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Settings } from './options.ts';
import type { Call, HandlerResponse } from './portable/call.ts';
import {
  type ErrorWithResponse,
  HttpError,
  hasResponse,
  toResponse,
} from './portable/http-error.ts';
import type { RouteTable } from './portable/route-table.ts';
import { drainAfter } from './receive.ts';
import {
  findResponse,
  findViolation,
  type Head,
  isBodiless,
  isStream,
  type SentResponse,
  type Stream,
  toHead,
  toSentResponse,
} from './response-content.ts';
import { toChallenge } from './security.ts';
import type { UpgradeResponse } from './upgrade-response.ts';

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
    const documented = route && findResponse(route, result.status);
    const content = route?.passThrough ? 'unchanged' : documented?.content;
    const sources = [result.headers, findHeaders?.(call)];
    const sent = toSentResponse(call, result, encodeBody, sources, content);
    if (responses === 'check' && route && content !== 'unchanged') {
      const violation = findViolation(call.request, result, sent, documented);
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
