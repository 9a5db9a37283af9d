import type { IncomingMessage } from 'node:http';

/** Query parameter that says the same in what is followed without headers: upload addresses and links. */
export const SESSION_PARAMETER = 'session';

/** The session that the query names; else the one of the header. */
export function sessionOfQuery(request: Pick<IncomingMessage, 'headers' | 'url'>): string {
  const { url = '' } = request;
  const mark = url.indexOf('?');
  const named = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get(SESSION_PARAMETER);
  return named ?? sessionOfHeader(request);
}

/** Header by which a call says which session it belongs to. */
export const SESSION_HEADER = 'X-Mock-Session';

const HEADER = SESSION_HEADER.toLowerCase();

/** The session that the header names; empty for the default one. */
export function sessionOfHeader({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return String(headers[HEADER] ?? '');
}

/** What names a session where no header can be set; then comes its name, encoded as in a query. */
const PREFIX = 'mock.session.';

const PROTOCOLS = 'sec-websocket-protocol';

/**
 * Takes the name of a session out of the subprotocols of a WebSocket, all that a page can choose of it, and
 * puts it where every other call has it. A header that is there goes before.
 *
 * Neither list of headers keeps it: whoever answers chooses among the other subprotocols.
 */
export function takeSessionProtocol({ headers, rawHeaders }: IncomingMessage): void {
  const offered = headers[PROTOCOLS];
  if (offered === undefined || !offered.includes(PREFIX)) return;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const named = protocols.find(isName);
  if (named === undefined) return;
  headers[HEADER] ??= decode(named.slice(PREFIX.length));
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

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
