import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { CallRecord } from '../record/call-record.ts';
import { KeptBytes } from '../record/kept-bytes.ts';
import type { RecordedRequest } from '../record/recorded-request.ts';
import { findHeader, toReturned } from './headers.ts';
import type { JudgedRequest } from './judge/create-request-judge.ts';
import { violate } from './judge/violate.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { hasAddresses, rewriteAddresses } from './rewrite-addresses.ts';
import { tapAnswer } from './tap.ts';

/** Bytes of an answer that are judged; what is longer passes unread. */
const MAX_JUDGED = 1024 * 1024;
/** How long an answer waits for the verdict on its request. */
const PATIENCE_MS = 1_000;
const NOTHING = Buffer.alloc(0);

/** A call whose answer has begun. */
interface Passing {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
  readonly record: CallRecord;
  readonly judged: JudgedRequest;
  readonly requestBody: KeptBytes;
  /** By the clock of `performance`. */
  readonly begun: number;
}

/** Status line and headers as the deployment sent them. */
interface Head {
  readonly status: number;
  readonly reason: string;
  readonly raw: readonly string[];
  /** Milliseconds from the call until it came. */
  readonly ms: number;
}

/** Passes an answer back, and judges it before its end. */
export async function giveBack(
  parts: ProxyParts,
  passing: Passing,
  head: Head,
  given: Readable,
): Promise<void> {
  const { recorder, verdicts, context, addresses, judges } = parts;
  const { request, response, record, judged } = passing;
  const { status } = head;
  const origin = context.originOf(request);
  const isCoded = !/^(?:identity)?$/i.test(findHeader(head.raw, 'content-encoding') ?? '');
  const isRewritten = status < 300 && !isCoded && hasAddresses(record.operationId);
  const headers = toReturned(head.raw, isRewritten ? ['content-length'] : []);
  const received = new KeptBytes();
  const body = new KeptBytes();
  record.id = toUniqueId(record, findHeader(headers, 'x-request-id'));

  const judge = async () => {
    record.answerViolations = judges().answer({
      surface: record.surface,
      operationId: record.operationId,
      method: request.method as string,
      requestHeaders: request.headers,
      status,
      headers: head.raw,
      body: received.bytes,
      isWhole: received.isWhole,
    });
    if (request.complete) await Promise.race([judged.done, pause()]);
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
    await judge();
    headers.push('content-length', String(local.length));
    response.writeHead(status, head.reason, headers).end(local);
    return;
  }
  response.writeHead(status, head.reason, headers);
  // Whoever waits for the first event of a stream wants to know at once that it was let in. Unlike
  // `flushHeaders`, which writes UTF-8, this leaves the bytes of headers what they are.
  response.write(NOTHING);
  const keep = (chunk: Buffer) => {
    received.add(chunk, undefined, MAX_JUDGED);
    if (recorder !== undefined) body.add(chunk, undefined, recorder.maxBytes);
  };
  pipeline(given, tapAnswer(keep, judge), response, (error) => {
    if (error === undefined || error === null || !given.errored) return;
    const { code, message } = given.errored as NodeJS.ErrnoException;
    if (code === 'ABORT_ERR' || code === 'UND_ERR_ABORTED') return;
    record.answerViolations = [violate('/body', 'incomplete', `The body broke off: ${message}.`)];
    verdicts.add(record, status);
  });
}

/** An answer has to be found in the log by its own identifier. */
function toUniqueId({ session }: CallRecord, given: string | undefined): string {
  return given === undefined || session.requests.get(given) !== undefined ? randomUUID() : given;
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS).unref();
  });
}
