import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { closest } from 'fastest-levenshtein';
import { type Backend, toBackendListeners } from '../backend.ts';
import type { Context } from '../context.ts';
import { createJudges } from '../proxy/judge/create-judges.ts';
import type { CallRecord } from '../record/call-record.ts';
import { type RecordedRequest, recordOf } from '../record/recorded-request.ts';
import { sendOwnRefusal } from '../refusals/send-own-refusal.ts';
import { REDACTED } from '../requests/create-redactor.ts';
import { corsOf } from '../router-options.ts';
import type { Session } from '../session/session.ts';
import { fromJsonBody } from './body-json.ts';
import { createScrubber } from './create-scrubber.ts';
import { readRecordings } from './read-recordings.ts';
import type { Recording } from './recording.ts';
import { toKey } from './to-key.ts';

const NOT_RECORDED = {
  gateway: 'SYS_ERR',
  storage: 'SYS_ERR',
  upload: 'InternalError',
  link: 'InternalError',
};

/**
 * Answers from recordings. Of several answers to the same request each session gets one after the
 * other, and then the last one again.
 *
 * @throws RecordingError for a folder that cannot be used
 */
export async function createReplay(context: Context, dir: string): Promise<Backend> {
  const scrubber = createScrubber(context);
  const judges = createJudges(context);
  const recordings = await readRecordings(dir);
  const byKey = new Map<string, Recording[]>();
  for (const recording of recordings) {
    const key = keyOf(recording);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [recording]);
    else same.push(recording);
  }

  function next({ replayed }: Session, key: string): Recording | undefined {
    const answers = byKey.get(key);
    if (answers === undefined) return undefined;
    const step = replayed.get(key) ?? 0;
    replayed.set(key, step + 1);
    return answers[Math.min(step, answers.length - 1)];
  }

  async function answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    const record = recordOf(request);
    const { surface, session } = record;
    if (request.method === 'OPTIONS') {
      const cors = corsOf(context, surface).preflight(request.headers.origin);
      response.writeHead(204, { ...cors, 'x-request-id': randomUUID() }).end();
      return;
    }
    const body = await buffer(request);
    const judged = judges().request(request, record);
    judged.shadow.feed(body, () => {});
    judged.shadow.finish();
    scrubber.learn(request.rawHeaders);
    const target = scrubber.target(decodeMark(request.url ?? '/'));
    const method = request.method ?? 'GET';
    const contentType = request.headers['content-type'];
    const key = toKey({
      method,
      target,
      contentType,
      body: scrubber.body('request', surface, body),
    });
    const recording = next(session, key);
    await judged.done;
    if (recording !== undefined) send(recording, record, context.originOf(request), response);
    else refuse(`${method} ${target}`, record, request, response);
  }

  function refuse(
    asked: string,
    record: CallRecord,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    record.matched = false;
    const known = [...new Set(recordings.map(toTitle))];
    const near = closest(asked, known);
    const same = near === asked ? ', with another body' : '';
    const message = `${asked} is not recorded. The nearest that is: ${near}${same}.`;
    const { surface } = record;
    const refusal = { code: NOT_RECORDED, status: 501, message };
    sendOwnRefusal(refusal, surface, context, request, response);
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request as RecordedRequest, response).catch(() => response.destroy());
  };
  return {
    listeners: toBackendListeners(listener, (request, response) => {
      response.writeContinue();
      listener(request, response);
    }),
    upgrade(request: IncomingMessage, socket: Duplex) {
      const record = recordOf(request);
      record.matched = false;
      record.status = 501;
      socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    },
    close: async () => {},
  };
}

function keyOf({ request }: Recording): string {
  const { method, target, headers, body } = request;
  const type = headers['content-type'];
  const contentType = typeof type === 'string' ? type : type?.[0];
  return toKey({ method, target, contentType, body: fromJsonBody(body) });
}

function toTitle({ request: { method, target } }: Recording): string {
  return `${method} ${target}`;
}

/** A client encodes the sign that stands for a secret. */
function decodeMark(target: string): string {
  return target.replaceAll(/%E2%80%A6/gi, '…');
}

function send(
  { surface, origin, answer }: Recording,
  record: CallRecord,
  ownOrigin: string,
  response: ServerResponse,
): void {
  const kept = fromJsonBody(answer.body);
  const body =
    surface === 'storage' ? Buffer.from(kept.toString().replaceAll(origin, ownOrigin)) : kept;
  const requestId = answer.headers['x-request-id'];
  const isNew =
    typeof requestId === 'string' && record.session.requests.get(requestId) === undefined;
  record.id = isNew ? requestId : randomUUID();
  const { 'content-length': length, ...headers } = answer.headers;
  response.sendDate = false;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === 'string' ? toField(value) : value.map(toField));
  }
  const hasLength = response.req.method === 'HEAD' ? length : String(body.length);
  if (hasLength !== undefined && answer.status !== 204) {
    response.setHeader('content-length', hasLength);
  }
  response.writeHead(answer.status).end(response.req.method === 'HEAD' ? undefined : body);
}

/** What stands for a secret goes as UTF-8 where Node takes bytes alone. */
function toField(value: string): string {
  return value.replaceAll(REDACTED, Buffer.from(REDACTED).toString('latin1'));
}
