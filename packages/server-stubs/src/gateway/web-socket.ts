import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../errors.ts';
import { isUpgrade, removeHopByHop } from '../forwarding.ts';
import { setHeader, TOKEN } from '../runtime/portable/headers.ts';

/** A response that opens a WebSocket. After the 101, `open` owns the connection. */
export interface WebSocketResponse {
  readonly status: 101;
  /**
   * Headers from the service's 101: the subprotocol and extensions that it chose. Without `headers`, `open` writes
   * the 101 itself, as `handleUpgrade` in `ws` does, with `X-Request-Id: <call.requestId>`.
   */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * Called once, after the 101 is written. The router does not parse frames.
   *
   * @param head bytes that the client has already sent
   */
  readonly open: (socket: Duplex, head: Buffer) => void;
}

/** Returns whether a request opens a WebSocket. Only a GET in HTTP/1.1 can (RFC 6455, section 4.1). */
export function isWebSocket({ method, httpVersion, headers }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && isUpgrade(headers);
}

/**
 * D14: a browser may send its token as the subprotocol `berth.bearer.<token>`, which is removed and never echoed.
 * Several credentials are joined into one, which is always rejected.
 */
export function extractBearerProtocol(request: IncomingMessage): void {
  const { headers } = request;
  const protocols = listProtocols(headers);
  const tokens = protocols.filter((protocol) => protocol.startsWith(BEARER));
  if (tokens.length === 0) return;
  const rest = protocols.filter((protocol) => !tokens.includes(protocol));
  setHeader(request, 'Sec-WebSocket-Protocol', rest.join(', ') || undefined);
  const credentials = tokens.map((protocol) => protocol.slice(BEARER.length));
  if (headers.authorization !== undefined) credentials.push(headers.authorization);
  headers.authorization = `Bearer ${credentials.join(', ')}`;
}

const BEARER = 'berth.bearer.';

function listProtocols(headers: IncomingHttpHeaders): readonly string[] {
  return headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? [];
}

/** RFC 6455, section 4.1: 16 bytes, base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** Checks the handshake (RFC 6455, section 4.2.1), so that the response has an `X-Request-Id` (D9). */
export function assertHandshake(
  request: IncomingMessage,
  allows: (origin: string) => boolean,
): void {
  if (!isWebSocket(request)) {
    throw invalidHandshake('Only WebSocket upgrades are supported, with GET in HTTP/1.1.');
  }
  const { headers } = request;
  // D14: browsers let any page open a WebSocket, so the gateway checks `Origin`.
  if (headers.origin !== undefined && !allows(headers.origin)) {
    throw new GatewayError('SERVICE_FORBIDDEN', {
      message: `Pages from ${headers.origin} are not allowed to open WebSockets here.`,
    });
  }
  if (headers['sec-websocket-version'] !== '13') {
    throw invalidHandshake('The Sec-WebSocket-Version header must be 13.', {
      'sec-websocket-version': '13',
    });
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    throw invalidHandshake('The Sec-WebSocket-Key header must be 16 bytes in base64.');
  }
  const protocols = listProtocols(headers);
  const isUnique = new Set(protocols).size === protocols.length;
  if (!isUnique || !protocols.every((protocol) => TOKEN.test(protocol))) {
    throw invalidHandshake('The Sec-WebSocket-Protocol header must list each subprotocol once.');
  }
}

function invalidHandshake(message: string, headers: Record<string, string> = {}): GatewayError {
  return new GatewayError('INVALID_REQUEST', { message, headers });
}

export function toHandshakeHeaders(
  headers: NonNullable<WebSocketResponse['headers']>,
  request: IncomingMessage,
  required: Readonly<Record<string, string>>,
): NonNullable<WebSocketResponse['headers']> {
  const key = request.headers['sec-websocket-key'];
  return {
    ...(removeHopByHop(headers, NOT_IN_101) as Record<string, string | readonly string[]>),
    'sec-websocket-accept': hash('sha1', `${key}${GUID}`, 'base64'),
    upgrade: 'websocket',
    connection: 'Upgrade',
    ...required,
  };
}

/** C3: no `Content-Disposition`. RFC 9110, section 8.6: no `Content-Length` in a 1xx. */
const NOT_IN_101 = new Set(['content-disposition', 'content-length']);

/** RFC 6455, section 1.3. Appended to the key before hashing for `Sec-WebSocket-Accept`. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
