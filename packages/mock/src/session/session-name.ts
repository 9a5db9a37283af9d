import type { IncomingMessage } from 'node:http';

/** Header by which a call says which session it belongs to. */
export const SESSION_HEADER = 'X-Mock-Session';

/** Query parameter that says the same in what is followed without headers: upload addresses and links. */
export const SESSION_PARAMETER = 'session';

const HEADER = SESSION_HEADER.toLowerCase();

/** The session that the header names; empty for the default one. */
export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers[HEADER] ?? '');
}

/** The session that the query names; else the one of the header. */
export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  const named = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get(SESSION_PARAMETER);
  return named ?? sessionOfHeader(request);
}
