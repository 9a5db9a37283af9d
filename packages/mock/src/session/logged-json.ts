import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { readPackageInfo } from '../util/package-info.ts';
import { MAX_KEPT } from './call-record.ts';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';

/** The beginning of a body, as text if it is UTF-8. */
type JsonBody = { readonly text: string } | { readonly base64: string };

type ToJson<Message extends LoggedMessage> = Omit<Message, 'body'> & { readonly body?: JsonBody };

export interface LoggedJson extends Omit<LoggedRequest, 'request' | 'response'> {
  readonly request: ToJson<LoggedRequest['request']>;
  readonly response?: ToJson<NonNullable<LoggedRequest['response']>>;
}

/**
 * Converts a logged call to JSON field by field, because the call may have fields that the log does not show.
 */
export function toLoggedJson(logged: LoggedRequest): LoggedJson {
  const { id, at, surface, operationId, service, matched, response } = logged;
  const { violations, responseViolations, faults } = logged;
  return {
    id,
    at,
    surface,
    operationId,
    service,
    matched,
    request: toMessage(logged.request),
    ...(response !== undefined && { response: toMessage(response) }),
    violations,
    responseViolations,
    faults,
  };
}

function toMessage<Message extends LoggedMessage>(message: Message): ToJson<Message> {
  const { body, ...others } = message;
  return { ...others, ...(body !== undefined && { body: toBody(body, others.bodyBytes) }) };
}

function toBody(body: Uint8Array, bodyBytes: number): JsonBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The kept part of a longer body may end in the middle of a character.
  const whole = bodyBytes > bytes.length ? bytes.subarray(0, endOfText(bytes)) : bytes;
  return isUtf8(whole) ? { text: whole.toString() } : { base64: bytes.toString('base64') };
}

function endOfText(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The log does not know the versions and sizes on the wire. */
const UNKNOWN = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };

/**
 * Converts completed calls to an HTTP Archive (HAR 1.2). Credentials are redacted as in the log, and bodies are
 * cut off as in the log.
 *
 * @param url base URL of the mock
 */
export function toHar(calls: readonly LoggedRequest[], url: string) {
  const { version } = readPackageInfo();
  const entries = calls.flatMap((call) => toEntry(call, url));
  return { log: { version: '1.2', creator: { name: '@berth/mock', version }, entries } };
}

function toEntry(call: LoggedRequest, url: string) {
  const { at, request, response } = toLoggedJson(call);
  if (response === undefined) return [];
  const { method, target } = request;
  const { status, ms } = response;
  const address = /^https?:/i.test(target) ? target : url + target;
  const posted = toContent(request);
  return {
    startedDateTime: new Date(at).toISOString(),
    time: ms,
    request: {
      ...UNKNOWN,
      method,
      url: address,
      headers: toHeaders(request.headers),
      queryString: toQuery(target),
      ...('text' in posted && { postData: posted, bodySize: posted.size }),
    },
    response: {
      ...UNKNOWN,
      status,
      statusText: STATUS_CODES[status] ?? '',
      headers: toHeaders(response.headers),
      content: toContent(response),
      redirectURL: String(response.headers.location ?? ''),
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
  };
}

type Headers = LoggedRequest['request']['headers'];

interface Message {
  readonly headers: Headers;
  readonly body?: JsonBody;
  readonly bodyBytes: number;
}

/** A size greater than that of the text shows that the body is cut off. */
function toContent({ headers, body, bodyBytes }: Message) {
  const mimeType = String(headers['content-type'] ?? '');
  if (body === undefined) return { mimeType, size: bodyBytes };
  const isText = 'text' in body;
  const text = isText ? body.text : body.base64;
  const size =
    bodyBytes > MAX_KEPT ? bodyBytes : Buffer.byteLength(text, isText ? 'utf8' : 'base64');
  return { mimeType, size, text, ...(!isText && { encoding: 'base64' }) };
}

function toHeaders(headers: Headers) {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value })),
  );
}

function toQuery(target: string) {
  const { searchParams } = new URL(target.replace(/^[^?]*/, ''), 'http://mock');
  return [...searchParams].map(([name, value]) => ({ name, value }));
}
