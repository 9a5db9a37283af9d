import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Agent } from 'undici';
import type { Context } from '../context.ts';
import { refusalFor } from '../contract/surface.ts';
import type { ProxyTargets } from '../options.ts';
import {
  type CallRecord,
  KeptBytes,
  type RecordedRequest,
  recordOf,
} from '../session/call-record.ts';
import { findHostRefusal, type OwnRefusal, sendOwnRefusal } from '../surfaces/own-refusal.ts';
import {
  type Destination,
  hasAddresses,
  type KnownAddresses,
  rewriteAddresses,
} from './addresses.ts';
import type { Checkers, RequestCheck, ShadowRequest } from './check-requests.ts';
import { violate } from './check-responses.ts';
import { findHeader, type RawHeaders, toForwarded, toReturned } from './headers.ts';
import type { Verdicts } from './verdicts.ts';

/** A completed call that went through the mock. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly record: CallRecord;
  /** Complete request body, if it is recorded. */
  readonly requestBody: KeptBytes;
  readonly status: number;
  /** As the caller received them. */
  readonly headers: RawHeaders;
  readonly body: KeptBytes;
  /** Base URL that the caller used to reach the mock. */
  readonly origin: string;
  /** Milliseconds until the response head, and until the end of the response. */
  readonly headMs: number;
  readonly totalMs: number;
}

/** Records forwarded calls. */
export interface Recorder {
  /** Maximum size of a body to keep. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
  /** Waits for pending writes. */
  close(): Promise<void>;
}

export interface ProxyParts {
  /** The mock's name in `Via`. */
  readonly via: string;
  readonly context: Context;
  readonly agent: Agent;
  readonly targets: ProxyTargets;
  readonly addresses: KnownAddresses;
  readonly checkers: () => Checkers;
  readonly verdicts: Verdicts;
  readonly recorder: Recorder | undefined;
}

/**
 * Returns why a call must not be forwarded, or `undefined` if it may be forwarded.
 *
 * A call that this mock has already forwarded is in a loop (RFC 9110, section 7.6.3). Regardless of
 * `origins`, a page whose host name points at this machine must not use the mock to reach a deployment that
 * it could not reach directly.
 */
export function findProxyRefusal(
  request: IncomingMessage,
  { via, context }: Pick<ProxyParts, 'via' | 'context'>,
): OwnRefusal | undefined {
  if (request.headers.via?.includes(via)) {
    const message = 'The deployment is this mock itself: set --proxy to another URL.';
    return { reason: 'unreachable', status: 502, message };
  }
  return findHostRefusal(request, { host: context.options.host });
}

/** Forwards a call and returns the response. */
export async function forward(
  parts: ProxyParts,
  request: RecordedRequest,
  response: ServerResponse,
  destination: Destination,
): Promise<void> {
  const { context, agent, recorder } = parts;
  const record = recordOf(request);
  const check = parts.checkers().request(request, record);
  const requestBody = new KeptBytes();
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const tap = tapRequest(check.shadow, (chunk) => {
    if (recorder !== undefined) requestBody.add(chunk, undefined, recorder.maxBytes);
  });
  pipeline(request, tap, () => {});
  const begun = performance.now();
  const { origin, path } = destination;
  try {
    const reply = await agent.request({
      origin,
      path,
      method: request.method as 'GET',
      headers: toHeaders(request, record, destination, parts),
      body: hasBody(request) ? tap : null,
      signal: gone.signal,
      responseHeaders: 'raw',
    });
    if (!hasBody(request)) tap.resume();
    const head = {
      status: reply.statusCode,
      reason: reply.statusText,
      raw: reply.headers as unknown as string[],
      ms: performance.now() - begun,
    };
    await giveBack(
      parts,
      { request, response, record, check, requestBody, begun },
      head,
      reply.body,
    );
  } catch (error) {
    check.shadow.leave();
    if (response.headersSent || gone.signal.aborted) response.destroy();
    else {
      const { code, message: reason } = error as NodeJS.ErrnoException;
      const message = `The deployment ${origin} did not respond: ${code ?? reason}.`;
      const { status } = refusalFor('unreachable', record.surface);
      sendOwnRefusal({ reason: 'unreachable', status, message }, record.surface, context, response);
    }
  }
}

/** Maximum size of a response to check; longer ones are forwarded without being read. */
const MAX_JUDGED = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

interface Passing {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  readonly record: CallRecord;
  readonly check: RequestCheck;
  readonly requestBody: KeptBytes;
  /** Time from `performance.now`. */
  readonly begun: number;
}

interface Head {
  readonly status: number;
  readonly reason: string;
  readonly raw: readonly string[];
  /** Milliseconds from the call to its response. */
  readonly ms: number;
}

async function giveBack(
  parts: ProxyParts,
  passing: Passing,
  head: Head,
  given: Readable,
): Promise<void> {
  const { recorder, verdicts, context, addresses, checkers } = parts;
  const { request, response, record, check } = passing;
  const { status } = head;
  const origin = context.originOf(request);
  const isCoded = !/^(?:identity)?$/i.test(findHeader(head.raw, 'content-encoding') ?? '');
  const isRewritten = status < 300 && !isCoded && hasAddresses(record.operationId);
  const headers = toReturned(head.raw, isRewritten ? ['content-length'] : []);
  const received = new KeptBytes();
  const body = new KeptBytes();
  record.id = toUniqueId(record, findHeader(headers, 'x-request-id'));

  const checkResponse = async () => {
    record.responseViolations = checkers().response({
      surface: record.surface,
      operationId: record.operationId,
      method: request.method as string,
      requestHeaders: request.headers,
      status,
      headers: head.raw,
      body: received.bytes,
      isWhole: received.isWhole,
    });
    if (request.complete) await Promise.race([check.done, pause()]);
    verdicts.add(record, status);
    recorder?.add({
      ...passing,
      status,
      headers,
      body,
      origin,
      headMs: head.ms,
      totalMs: performance.now() - passing.begun,
    });
  };

  response.sendDate = false;
  if (isRewritten) {
    const real = await buffer(given);
    received.add(real, undefined, MAX_JUDGED);
    const local = rewriteAddresses(record.operationId as string, real, (kind, address) =>
      addresses.toLocal(kind, address, origin, record.session.id),
    );
    if (recorder !== undefined) body.add(local, undefined, recorder.maxBytes);
    await checkResponse();
    headers.push('content-length', String(local.length));
    response.writeHead(status, head.reason, headers).end(local);
    return;
  }
  response.writeHead(status, head.reason, headers);
  // A client that waits for the first event of a stream needs the head immediately. Unlike
  // `flushHeaders`, which writes UTF-8, this preserves the bytes of the headers.
  response.write(NOTHING);
  const keep = (chunk: Buffer) => {
    received.add(chunk, undefined, MAX_JUDGED);
    if (recorder !== undefined) body.add(chunk, undefined, recorder.maxBytes);
  };
  pipeline(given, tapResponse(keep, checkResponse), response, (error) => {
    if (error === undefined || error === null || !given.errored) return;
    const { code, message } = given.errored as NodeJS.ErrnoException;
    if (code === 'ABORT_ERR' || code === 'UND_ERR_ABORTED') return;
    record.responseViolations = [
      violate('/body', 'incomplete', `The body was truncated: ${message}.`),
    ];
    verdicts.add(record, status);
  });
}

/** The log must be able to find a response by its own ID. */
function toUniqueId({ session }: CallRecord, given: string | undefined): string {
  return given === undefined || session.requests.get(given) !== undefined ? randomUUID() : given;
}

/** How long a response waits for its request to be checked. */
const PATIENCE_MS = 1_000;

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref();
  });
}

/** Forwards a response body, and delays its end until `atEnd` is done. */
function tapResponse(keep: (chunk: Buffer) => void, atEnd: () => Promise<void>): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      keep(chunk);
      done(null, chunk);
    },
    flush(done) {
      atEnd().then(() => done(), done);
    },
  });
}

function toHeaders(
  request: RecordedRequest,
  { surface }: CallRecord,
  { isTrusted }: Destination,
  { via, context: { profile } }: ProxyParts,
): string[] {
  const { authorization, sessionToken, timestamp } = profile.storageHeaders;
  const credentials = ['authorization', 'cookie', authorization, sessionToken, timestamp];
  const without = isTrusted ? [] : credentials.map((name) => name.toLowerCase());
  const own = ['Via', `1.1 ${via}`];
  if (surface !== 'storage') return [...toForwarded(request.rawHeaders, without), ...own];
  // The URLs in the response must be read.
  const headers = toForwarded(request.rawHeaders, [...without, 'accept-encoding']);
  return [...headers, 'accept-encoding', 'identity', ...own];
}

function hasBody({ headers }: RecordedRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Forwards a request body, and copies it to the check and to `keep`. */
function tapRequest(shadow: ShadowRequest, keep: (chunk: Buffer) => void): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      keep(chunk);
      shadow.feed(chunk, () => done(null, chunk));
    },
    flush(done) {
      shadow.finish();
      done();
    },
  });
}
