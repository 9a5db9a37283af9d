import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/gateway-error.ts';

const PREFIX = 'berth.bearer.';
const PROTOCOLS = 'sec-websocket-protocol';

/**
 * Takes an access token out of the subprotocols of a WebSocket and puts it where every other call has it.
 *
 * D14: "For browsers, which cannot send `Authorization` on an upgrade, the token may travel as subprotocol
 * `berth.bearer.<token>` beside the real ones; the gateway removes it, never echoes or logs it".
 *
 * @returns whether there are two tokens, which is refused once the error has where to go
 */
export function takeBearerProtocol({ headers, rawHeaders }: IncomingMessage): boolean {
  const offered = headers[PROTOCOLS];
  if (offered === undefined || !offered.includes(PREFIX)) return false;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const tokens = protocols.filter((protocol) => protocol.startsWith(PREFIX));
  const others = protocols.filter((protocol) => !protocol.startsWith(PREFIX)).join(', ');
  replace(headers, rawHeaders, others);
  const isDouble = tokens.length > 1 || (tokens.length === 1 && headers.authorization !== undefined);
  if (tokens[0] !== undefined && !isDouble) {
    headers.authorization = `Bearer ${tokens[0].slice(PREFIX.length)}`;
  }
  return isDouble;
}

/** @throws GatewayError INVALID_REQUEST */
export function assertOneToken(isDouble: boolean): void {
  if (!isDouble) return;
  throw new GatewayError('INVALID_REQUEST', {
    message: `Send one access token: in Authorization, or in one subprotocol that begins with ${PREFIX}.`,
  });
}

/** In both lists of the request, so that whoever logs either of them logs no token. */
function replace(headers: IncomingHttpHeaders, rawHeaders: string[], protocols: string): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (rawHeaders[at]?.toLowerCase() === PROTOCOLS) rawHeaders.splice(at, 2);
  }
  delete headers[PROTOCOLS];
  if (protocols === '') return;
  headers[PROTOCOLS] = protocols;
  rawHeaders.push('Sec-WebSocket-Protocol', protocols);
}
