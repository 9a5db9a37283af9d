import { STATUS_CODES } from 'node:http';
import type { RawHeaders } from '../http/listen.ts';

/**
 * The gateway's own errors. The contract specifies only the codes and statuses of `SERVICE_NOT_FOUND` and
 * `SERVICE_FORBIDDEN`, and that bad calls get a 4xx.
 */
const refusals = {
  SERVICE_NOT_FOUND: { status: 404, message: 'Nobody deployed a service of this name.' },
  SERVICE_FORBIDDEN: { status: 403, message: 'This service is closed to you.' },
  SERVICE_TIMEOUT: { status: 500, message: 'The service is too slow.' },
  UPSTREAM_BROKEN: { status: 500, message: 'The service hung up.' },
  NO_AUTH: { status: 400, message: 'Who are you?' },
  BAD_TOKEN: { status: 400, message: 'This token opens nothing here.' },
  BAD_SIGNATURE: { status: 412, message: 'The signature does not fit the call.' },
  BAD_NAME: { status: 422, message: 'No service can have this name.' },
  BAD_REQUEST: { status: 400, message: 'This is not HTTP.' },
  BODY_TOO_BIG: { status: 400, message: 'The body is too big.' },
  NO_ROUTE: { status: 400, message: 'There is nothing at this path.' },
  TYPE_REFUSED: { status: 406, message: 'Bodies are application/json here.' },
  VERB_UNKNOWN: { status: 501, message: 'Only GET and POST are known here.' },
  WRONG_HOST: { status: 421, message: 'This host name belongs to another environment.' },
} as const;

export type RefusalCode = keyof typeof refusals;

export interface Refusal {
  status: number;
  headers: RawHeaders;
  body: string;
}

/** Creates a gateway error. It has one more field than the contract names. */
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

/** Same as bytes, for a connection that has no response object. */
export function toRefusalText(code: RefusalCode, requestId: string): string {
  const { status, headers, body } = toRefusal(code, requestId);
  const lines = headers.flatMap((name, at) => (at % 2 ? [] : `${name}: ${headers[at + 1]}\r\n`));
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

/** Header names are case-insensitive, so this gateway alternates between two spellings. */
export function spellRequestId(requestId: string): string {
  return /[02468acegikmoqsuwy]$/.test(requestId) ? 'X-REQUEST-ID' : 'x-request-id';
}
