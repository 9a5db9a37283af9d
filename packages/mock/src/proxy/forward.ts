import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Transform } from 'node:stream';
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
import type { Checkers } from './check-requests.ts';
import { violate } from './check-responses.ts';
import { findHeader, type RawHeaders, toForwarded, toReturned } from './headers.ts';

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

export interface Recorder {
  /** Maximum size of a body to keep. */
  readonly maxBytes: number;
  add(exchange: Exchange): void;
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
  readonly onForwarded: (call: CallRecord, status: number) => void;
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

/** Maximum size of a response to check; longer ones are forwarded without being read. */
const MAX_JUDGED = 1024 * 1024;

const NOTHING = Buffer.alloc(0);

/** Forwards a call and returns the response. */
export async function forward(
  parts: ProxyParts,
  request: RecordedRequest,
  response: ServerResponse,
  destination: Destination,
): Promise<void> {
  const { context, agent, recorder, onForwarded, addresses, checkers } = parts;
  const record = recordOf(request);
  const { surface } = record;
  const check = checkers().request(request, record);
  const [requestBody, body, judged] = [new KeptBytes(), new KeptBytes(), new KeptBytes()];
  const keep = (kept: KeptBytes, chunk: Buffer) => {
    if (recorder !== undefined) kept.add(chunk, undefined, recorder.maxBytes);
  };
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const sent = new Transform({
    transform(chunk: Buffer, _, done) {
      keep(requestBody, chunk);
      done(null, chunk);
    },
  });
  pipeline(request, sent, () => {});
  // Node reads no faster than the slower of both.
  request.pipe(check.shadow);
  const begun = performance.now();
  const since = () => performance.now() - begun;
  try {
    const reply = await agent.request({
      origin: destination.origin,
      path: destination.path,
      method: request.method as 'GET',
      headers: toHeaders(request, record, destination, parts),
      body: hasBody(request) ? sent : null,
      signal: gone.signal,
      responseHeaders: 'raw',
    });
    if (!hasBody(request)) sent.resume();
    const { statusCode: status, statusText, body: given } = reply;
    const raw = reply.headers as unknown as string[];
    const headMs = since();
    const origin = context.originOf(request);
    const isCoded = !/^(?:identity)?$/i.test(findHeader(raw, 'content-encoding') ?? '');
    const isRewritten = status < 300 && !isCoded && hasAddresses(record.operationId);
    const headers = toReturned(raw, isRewritten ? ['content-length'] : []);
    record.id = toUniqueId(record, findHeader(headers, 'x-request-id'));

    const checkResponse = async () => {
      record.responseViolations = checkers().response({
        surface,
        operationId: record.operationId,
        method: request.method as string,
        requestHeaders: request.headers,
        status,
        headers: raw,
        body: judged.bytes,
        isWhole: judged.isWhole,
      });
      if (request.complete) await Promise.race([check.done, pause()]);
      onForwarded(record, status);
      const kept = { request, record, requestBody, status, headers, body, origin };
      recorder?.add({ ...kept, headMs, totalMs: since() });
    };

    response.sendDate = false;
    if (isRewritten) {
      const real = await buffer(given);
      judged.add(real, undefined, MAX_JUDGED);
      const local = rewriteAddresses(record.operationId as string, real, (kind, address) =>
        addresses.toLocal(kind, address, origin, record.session.id),
      );
      keep(body, local);
      await checkResponse();
      headers.push('content-length', String(local.length));
      response.writeHead(status, statusText, headers).end(local);
      return;
    }
    response.writeHead(status, statusText, headers);
    // A client that waits for the first event of a stream needs the head immediately. Unlike
    // `flushHeaders`, which writes UTF-8, this preserves the bytes of the headers.
    response.write(NOTHING);
    const returned = new Transform({
      transform(chunk: Buffer, _, done) {
        judged.add(chunk, undefined, MAX_JUDGED);
        keep(body, chunk);
        done(null, chunk);
      },
      // The response ends when it has been checked.
      flush: (done) => void checkResponse().then(() => done(), done),
    });
    pipeline(given, returned, response, () => {
      const { code, message } = (given.errored ?? {}) as NodeJS.ErrnoException;
      if (message === undefined || code === 'ABORT_ERR' || code === 'UND_ERR_ABORTED') return;
      const text = `The body was truncated: ${message}.`;
      record.responseViolations = [violate('/body', 'incomplete', text)];
      onForwarded(record, status);
    });
  } catch (error) {
    check.leave();
    if (response.headersSent || gone.signal.aborted) {
      response.destroy();
      return;
    }
    const { code, message: reason } = error as NodeJS.ErrnoException;
    const message = `The deployment ${destination.origin} did not respond: ${code ?? reason}.`;
    const { status } = refusalFor('unreachable', surface);
    sendOwnRefusal({ reason: 'unreachable', status, message }, surface, context, response);
  }
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
