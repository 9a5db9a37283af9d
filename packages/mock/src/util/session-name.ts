import type { IncomingMessage } from 'node:http';
import { takeSubprotocols } from '@berth/server-stubs';
import { decodeText } from './values.ts';

/**
 * Query parameter that selects the session in upload URLs and links, which are requested without the session
 * header.
 */
export const SESSION_PARAMETER = 'session';

/** Returns the session name in the query, or the one in the header if the query has none. */
export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  const named = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get(SESSION_PARAMETER);
  return named ?? sessionOfHeader(request);
}

export const SESSION_HEADER = 'X-Mock-Session';

const HEADER = SESSION_HEADER.toLowerCase();

/** Returns the name of the session in the header, which is empty for the default session. */
export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers[HEADER] ?? '');
}

/** Prefix for a session name, encoded as in a query, if no header can be set. */
const PREFIX = 'mock.session.';

/**
 * Moves the session name from a WebSocket's subprotocols to the header that every other call uses. An existing
 * header takes precedence.
 */
export function takeSessionProtocol(request: IncomingMessage): void {
  const [name] = takeSubprotocols(request, PREFIX);
  if (name !== undefined) request.headers[HEADER] ??= decodeText(name);
}
