import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { closest } from 'fastest-levenshtein';
import type { Context } from '../../context.ts';
import { type CallRecord, type RecordedRequest, recordOf } from '../../session/call-record.ts';
import { REDACTED } from '../../session/redactor.ts';
import type { Session } from '../../session/session.ts';
import { sendOwnRefusal } from '../../surfaces/own-refusal.ts';
import { corsOf } from '../../surfaces/router-options.ts';
import { describeFileError } from '../../util/folders.ts';
import { isObject, parseJson } from '../../util/values.ts';
import { createCheckers } from '../check-requests.ts';
import type { Backend } from '../create-proxy.ts';
import {
  contractHashOf,
  createScrubber,
  FORMAT,
  fromJsonBody,
  type Recording,
  RecordingError,
} from './recording.ts';

/**
 * Creates a backend that responds from recordings. If several responses were recorded for a request, each
 * session gets them in order, and then the last one repeatedly.
 *
 * @throws RecordingError if the folder cannot be used
 */
export async function createReplay(context: Context, dir: string): Promise<Backend> {
  const scrubber = createScrubber(context);
  const checkers = createCheckers(context);
  const recordings = await readRecordings(dir);
  warnOfOtherContract(recordings, dir, contractHashOf(context.options));
  const byKey = new Map<string, Recording[]>();
  for (const recording of recordings) {
    const key = keyOf(recording);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [recording]);
    else same.push(recording);
  }

  function next({ replayed }: Session, key: string): Recording | undefined {
    const responses = byKey.get(key);
    if (responses === undefined) return undefined;
    const step = replayed.get(key) ?? 0;
    replayed.set(key, step + 1);
    return responses[Math.min(step, responses.length - 1)];
  }

  async function respond(request: RecordedRequest, response: ServerResponse): Promise<void> {
    const record = recordOf(request);
    const { surface, session } = record;
    if (request.method === 'OPTIONS') {
      const cors = corsOf(context, surface).preflight(request.headers.origin);
      response.writeHead(204, { ...cors, 'x-request-id': randomUUID() }).end();
      return;
    }
    const body = await buffer(request);
    const check = checkers().request(request, record);
    check.shadow.end(body);
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
    await check.done;
    if (recording !== undefined) send(recording, record, context.originOf(request), response);
    else refuse(`${method} ${target}`, record, response);
  }

  function refuse(asked: string, record: CallRecord, response: ServerResponse): void {
    record.matched = false;
    const known = [...new Set(recordings.map(toTitle))];
    const near = closest(asked, known);
    const same = near === asked ? ', with another body' : '';
    const message = `${asked} is not recorded. The closest recording is: ${near}${same}.`;
    sendOwnRefusal({ reason: 'failed', status: 501, message }, record.surface, context, response);
  }

  return {
    respond(request, response) {
      respond(request, response).catch(() => response.destroy());
    },
    upgrade(request: IncomingMessage, socket: Duplex) {
      const record = recordOf(request);
      record.matched = false;
      record.status = 501;
      socket.end('HTTP/1.1 501 Not Implemented\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    },
    close: async () => {},
  };
}

function warnOfOtherContract(recordings: readonly Recording[], dir: string, own?: string): void {
  if (own === undefined) return;
  const others = recordings.filter(({ contract = own }) => contract !== own);
  if (others.length === 0) return;
  const message = `${others.length} recordings in ${dir} were made with another version of the contract: record them again.`;
  process.emitWarning(message, 'MockWarning');
}

/**
 * Reads the recordings in a folder, in name order.
 *
 * @throws RecordingError that names the file
 */
async function readRecordings(dir: string): Promise<Recording[]> {
  const names = await readdir(dir).catch((error: Error) => {
    throw new RecordingError(`The folder ${dir} cannot be read: ${describeFileError(error)}.`);
  });
  const files = names.filter((name) => name.endsWith('.json'));
  if (files.length === 0) throw new RecordingError(`The folder ${dir} contains no recordings.`);
  files.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  return Promise.all(files.map((name) => readRecording(join(dir, name))));
}

async function readRecording(file: string): Promise<Recording> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new RecordingError(`${file} cannot be read: ${describeFileError(error)}.`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
  if (isRecording(value)) return value;
  throw new RecordingError(`${file} is not a recording in format ${FORMAT}.`);
}

function isRecording(value: unknown): value is Recording {
  if (!isObject(value) || value.format !== FORMAT) return false;
  const { surface, origin, request, response } = value;
  return (
    typeof surface === 'string' &&
    typeof origin === 'string' &&
    isObject(request) &&
    typeof request.method === 'string' &&
    typeof request.target === 'string' &&
    isObject(request.headers) &&
    isObject(response) &&
    Number.isInteger(response.status) &&
    isObject(response.headers)
  );
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

/** Clients encode the placeholder of a secret. */
function decodeMark(target: string): string {
  return target.replaceAll(/%E2%80%A6/gi, '…');
}

function send(
  { surface, origin, response: recorded }: Recording,
  record: CallRecord,
  ownOrigin: string,
  response: ServerResponse,
): void {
  const kept = fromJsonBody(recorded.body);
  const body =
    surface === 'storage' ? Buffer.from(kept.toString().replaceAll(origin, ownOrigin)) : kept;
  const requestId = recorded.headers['x-request-id'];
  const isNew =
    typeof requestId === 'string' && record.session.requests.get(requestId) === undefined;
  record.id = isNew ? requestId : randomUUID();
  const { 'content-length': length, ...headers } = recorded.headers;
  response.sendDate = false;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, typeof value === 'string' ? toField(value) : value.map(toField));
  }
  const hasLength = response.req.method === 'HEAD' ? length : String(body.length);
  if (hasLength !== undefined && recorded.status !== 204) {
    response.setHeader('content-length', hasLength);
  }
  response.writeHead(recorded.status).end(response.req.method === 'HEAD' ? undefined : body);
}

/** The placeholder of a secret must be UTF-8, but Node only writes bytes. */
function toField(value: string): string {
  return value.replaceAll(REDACTED, Buffer.from(REDACTED).toString('latin1'));
}

interface KeyParts {
  readonly method: string;
  /** Secrets removed. */
  readonly target: string;
  readonly contentType: string | undefined;
  /** Secrets removed. */
  readonly body: Buffer;
}

/** Returns the key of a request. Requests with the same method, path, query and body have the same key. */
function toKey({ method, target, contentType, body }: KeyParts): string {
  const content = toJson(body, contentType) ?? withoutBoundary(body, contentType);
  return `${method} ${toPlain(target)} ${createHash('sha256').update(content).digest('hex')}`;
}

const BOUNDARY = /\bboundary=(?:"([^"]+)"|([^\s;]+))/i;

/** A form has a new boundary each time, so it is normalized to make bodies comparable. */
function withoutBoundary(body: Buffer, contentType: string | undefined): Buffer {
  const [, quoted, plain] = BOUNDARY.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || !/^\s*multipart\//i.test(contentType ?? '')) return body;
  return Buffer.from(body.toString('latin1').replaceAll(`--${boundary}`, '--boundary'), 'latin1');
}

function toJson(body: Buffer, contentType: string | undefined): string | undefined {
  if (body.length === 0 || !/\bjson\b/i.test(contentType ?? '')) return undefined;
  return JSON.stringify(parseJson(body.toString()), sortMembers);
}

function sortMembers(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The session that the mock adds to a signature is not part of the request. */
function toPlain(target: string): string {
  return target
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/([?&]sign=[^&]*)&session=[^&]*$/, '$1');
}
