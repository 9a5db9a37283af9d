import { STATUS_CODES } from 'node:http';
import type { RawHeaders } from '../http/raw-headers.ts';
import { type RefusalCode, refusals } from './refusals.ts';
import { spellRequestId } from './spell-request-id.ts';

export interface Refusal {
  status: number;
  headers: RawHeaders;
  body: string;
}

/** An answer of the gateway itself. It has one field more than the contract names. */
export function toRefusal(code: RefusalCode, requestId: string): Refusal {
  const { status, message } = refusals[code];
  const body = JSON.stringify({ requestId, message, code, origin: 'second' });
  const headers = [
    ...[spellRequestId(requestId), requestId],
    ...['content-type', 'application/json;charset=UTF-8'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['Connection', 'close'],
  ];
  return { status, headers, body };
}

/** The same as bytes, for a connection that has no response object. */
export function toRefusalText(code: RefusalCode, requestId: string): string {
  const { status, headers, body } = toRefusal(code, requestId);
  const lines = headers.flatMap((name, at) => (at % 2 ? [] : `${name}: ${headers[at + 1]}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
