import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../context.ts';
import {
  type CallRecord,
  KeptBytes,
  type RecordedRequest,
  recordOf,
} from '../session/call-record.ts';
import { sendOwnRefusal } from '../surfaces/own-refusal.ts';
import { type Destination, hasAddresses, rewriteAddresses } from './addresses.ts';
import type { RequestCheck, ShadowRequest } from './check-requests.ts';
import { violate } from './check-responses.ts';
import { findHeader, toForwarded, toReturned } from './headers.ts';
import { OUT_OF_REACH, type ProxyParts } from './parts.ts';

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
    else refuse(error as NodeJS.ErrnoException, origin, record, context, request, response);
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

function refuse(
  error: NodeJS.ErrnoException,
  origin: string,
  { surface }: CallRecord,
  context: Context,
  request: RecordedRequest,
  response: ServerResponse,
): void {
  const message = `The deployment ${origin} did not respond: ${error.code ?? error.message}.`;
  sendOwnRefusal({ code: OUT_OF_REACH, message }, surface, context, request, response);
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
