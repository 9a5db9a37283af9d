import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Context } from '../context.ts';
import type { CallRecord } from '../record/call-record.ts';
import { KeptBytes } from '../record/kept-bytes.ts';
import { type RecordedRequest, recordOf } from '../record/recorded-request.ts';
import { sendOwnRefusal } from '../refusals/send-own-refusal.ts';
import type { Destination } from './destination.ts';
import { OUT_OF_REACH } from './find-proxy-refusal.ts';
import { giveBack } from './give-back.ts';
import { toForwarded } from './headers.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { tapRequest } from './tap.ts';

/** Passes a call on, and its answer back. */
export async function forward(
  parts: ProxyParts,
  request: RecordedRequest,
  response: ServerResponse,
  destination: Destination,
): Promise<void> {
  const { context, agent, recorder } = parts;
  const record = recordOf(request);
  const judged = parts.judges().request(request, record);
  const requestBody = new KeptBytes();
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const tap = tapRequest(judged.shadow, (chunk) => {
    if (recorder !== undefined) requestBody.add(chunk, undefined, recorder.maxBytes);
  });
  pipeline(request, tap, () => {});
  const begun = performance.now();
  const { origin, path } = destination;
  try {
    const answer = await agent.request({
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
      status: answer.statusCode,
      reason: answer.statusText,
      raw: answer.headers as unknown as string[],
      ms: performance.now() - begun,
    };
    await giveBack(
      parts,
      { request, response, record, judged, requestBody, begun },
      head,
      answer.body,
    );
  } catch (error) {
    judged.shadow.leave();
    if (response.headersSent || gone.signal.aborted) response.destroy();
    else refuse(error as NodeJS.ErrnoException, origin, record, context, request, response);
  }
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
  // The addresses in the answer have to be read.
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
  const message = `The deployment ${origin} gave no answer: ${error.code ?? error.message}.`;
  sendOwnRefusal({ code: OUT_OF_REACH, message }, surface, context, request, response);
}
