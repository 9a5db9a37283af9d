import { STATUS_CODES } from 'node:http';
import { readPackageInfo } from '../util/package-info.ts';
import { MAX_KEPT } from './call-record.ts';
import { type JsonBody, toLoggedJson } from './logged-json.ts';
import type { LoggedRequest } from './request-log.ts';

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
