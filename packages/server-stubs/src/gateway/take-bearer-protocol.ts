import type { IncomingMessage } from 'node:http';

const PREFIX = 'berth.bearer.';
const PROTOCOLS = 'sec-websocket-protocol';

/**
 * Takes an access token out of the subprotocols of a WebSocket and puts it where every other call has it.
 *
 * D14: "For browsers, which cannot send `Authorization` on an upgrade, the token may travel as subprotocol
 * `berth.bearer.<token>` beside the real ones; the gateway removes it, never echoes or logs it".
 *
 * Both lists of headers change, so that whoever logs either of them logs no token. A second token, here
 * or in `Authorization`, makes one credential with the first, which nobody lets in.
 */
export function takeBearerProtocol({ headers, rawHeaders }: IncomingMessage): void {
  const offered = headers[PROTOCOLS];
  if (offered === undefined || !offered.includes(PREFIX)) return;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const tokens = protocols.filter((protocol) => protocol.startsWith(PREFIX));
  const rest = protocols.filter((protocol) => !protocol.startsWith(PREFIX)).join(', ');
  if (tokens.length > 0) {
    const own = headers.authorization === undefined ? [] : [headers.authorization];
    const credentials = [...tokens.map((token) => token.slice(PREFIX.length)), ...own];
    headers.authorization = `Bearer ${credentials.join(', ')}`;
  }
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === PROTOCOLS) rawHeaders.splice(at, 2);
  }
  delete headers[PROTOCOLS];
  if (rest === '') return;
  headers[PROTOCOLS] = rest;
  rawHeaders.push('Sec-WebSocket-Protocol', rest);
}
