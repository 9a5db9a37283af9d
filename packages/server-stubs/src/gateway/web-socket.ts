import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';
import { removeHopByHop } from '../http/headers.ts';
import type { BerthRouterOptions } from '../http/router-options.ts';
import { isWebSocket, takeSubprotocols, type UpgradeResponse } from '../http/upgrade.ts';
import type { Call, HandlerResponse } from '../runtime/index.ts';
import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketHandler,
  WebSocketResponse,
} from './gateway-handlers.ts';

/** RFC 6455, section 1.3. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** RFC 6455, section 4.1: 16 bytes, base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Returned to the runtime when the response head has already been sent. The runtime then sends nothing. */
export const TAKEN: HandlerResponse = { status: 200 };
const BEARER_PREFIX = 'berth.bearer.';

export interface UpgradeSettings {
  readonly handler: WebSocketHandler | undefined;
  /** Whether a page of this origin may open WebSockets. */
  readonly allows: (origin: string) => boolean;
  readonly upstreamStatus: string;
  readonly onResponse: BerthRouterOptions['onResponse'];
}

/**
 * @returns the response of a service that rejects the WebSocket, or `undefined` if the WebSocket is open
 */
export async function handleUpgrade(
  input: GatewayInput,
  call: GatewayCall,
  response: UpgradeResponse,
  { handler, allows, upstreamStatus, onResponse }: UpgradeSettings,
): Promise<ServiceResponse | undefined> {
  assertWebSocket(call, allows);
  assertHandshake(call.request.headers);
  if (handler === undefined) {
    throw new GatewayError('SYS_ERR', {
      status: 501,
      message: 'WebSockets are not supported here.',
    });
  }
  const result = await handler(input, call);
  if (!isOpen(result)) return result;
  if (response.destroyed)
    throw Object.assign(new Error('The client disconnected.'), { code: 'ECONNRESET' });
  onResponse?.({ status: result.status }, call);
  if (result.headers !== undefined) {
    response.switch({ ...toHead(result.headers, call), [upstreamStatus]: String(result.status) });
  }
  response.hand(result.open);
  return undefined;
}

function assertWebSocket({ request }: Call, allows: UpgradeSettings['allows']): void {
  if (!isWebSocket(request)) {
    throw invalidRequest('Only WebSocket upgrades are supported, with GET.');
  }
  // D14: browsers let any page open a WebSocket, so the gateway checks `Origin`.
  const { origin } = request.headers;
  if (origin !== undefined && !allows(origin)) {
    throw new GatewayError('SERVICE_FORBIDDEN', {
      message: `Pages from ${origin} are not allowed to open WebSockets here.`,
    });
  }
}

/**
 * RFC 6455, section 4.2.1. Checked here so that the response has an `X-Request-Id` (D9), whichever library
 * opens the WebSocket.
 */
function assertHandshake(headers: IncomingHttpHeaders): void {
  if (headers['sec-websocket-version'] !== '13') {
    const supported = { 'sec-websocket-version': '13' };
    throw invalidRequest('The Sec-WebSocket-Version header must be 13.', supported);
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    throw invalidRequest('The Sec-WebSocket-Key header must be 16 bytes in base64.');
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? [];
  if (new Set(protocols).size < protocols.length || !protocols.every((each) => TOKEN.test(each))) {
    throw invalidRequest('The Sec-WebSocket-Protocol header must list each subprotocol only once.');
  }
}

export function invalidRequest(message: string, headers: Record<string, string> = {}) {
  return new GatewayError('INVALID_REQUEST', { message, headers });
}

function isOpen(result: WebSocketResponse | ServiceResponse): result is WebSocketResponse {
  return result.status === 101;
}

/** C3: no `Content-Disposition`. D9: `X-Request-Id` on 101 too. */
function toHead(given: NonNullable<WebSocketResponse['headers']>, { request, requestId }: Call) {
  const { 'content-disposition': _none, ...headers } = removeHopByHop(given);
  return {
    'sec-websocket-accept': toAccept(request.headers['sec-websocket-key'] as string),
    ...(headers as Record<string, string | readonly string[]>),
    upgrade: 'websocket',
    connection: 'Upgrade',
    'x-request-id': requestId,
  };
}

/** Returns the `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key` (RFC 6455, section 4.2.2). */
function toAccept(key: string): string {
  return createHash('sha1')
    .update(key + GUID)
    .digest('base64');
}

/**
 * D14: browsers cannot send `Authorization` with an upgrade, so they may send the token as the subprotocol
 * `berth.bearer.<token>`. The gateway removes it from both lists of headers, and never echoes or logs it.
 * Several credentials are joined into one, which is always rejected.
 */
export function takeBearerProtocol(request: IncomingMessage): void {
  const tokens = takeSubprotocols(request, BEARER_PREFIX);
  if (tokens.length === 0) return;
  const { headers } = request;
  const own = headers.authorization === undefined ? [] : [headers.authorization];
  headers.authorization = `Bearer ${[...tokens, ...own].join(', ')}`;
}
