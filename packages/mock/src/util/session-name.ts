import type { IncomingMessage } from 'node:http';
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

const PROTOCOLS = 'sec-websocket-protocol';

/**
 * Moves the session name from a WebSocket's subprotocols to the header that every other call uses. A page
 * cannot set headers for a WebSocket, only subprotocols. An existing header takes precedence.
 *
 * The name is removed from both header lists, because the server chooses among the remaining subprotocols.
 */
export function takeSessionProtocol({ headers, rawHeaders }: IncomingMessage): void {
  const offered = headers[PROTOCOLS];
  if (offered === undefined || !offered.includes(PREFIX)) return;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const named = protocols.find(isName);
  if (named === undefined) return;
  headers[HEADER] ??= decodeText(named.slice(PREFIX.length));
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === PROTOCOLS) rawHeaders.splice(at, 2);
  }
  delete headers[PROTOCOLS];
  const rest = protocols.filter((protocol) => !isName(protocol)).join(', ');
  if (rest === '') return;
  headers[PROTOCOLS] = rest;
  rawHeaders.push('Sec-WebSocket-Protocol', rest);
}

function isName(protocol: string): boolean {
  return protocol.startsWith(PREFIX);
}
