import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../errors/gateway-error.ts';
import { isWebSocket } from '../http/is-upgrade.ts';
import type { UpgradeResponse } from '../http/upgrade-response.ts';
import type { Answer, Call } from '../runtime/index.ts';
import type { GatewayCall, GatewayInput, ServiceAnswer } from './gateway-handlers.ts';
import { removeHopByHop } from './remove-hop-by-hop.ts';
import { toAccept } from './to-accept.ts';
import type { WebSocketAnswer, WebSocketHandler } from './web-socket-handler.ts';

/** What the router does for a WebSocket, once for all calls. */
export interface UpgradeSettings {
  readonly handler: WebSocketHandler | undefined;
  /** Whether a page of this origin may open WebSockets. */
  readonly allows: (origin: string) => boolean;
  readonly upstreamStatus: string;
}

/** RFC 6455, section 4.1: 16 bytes, base64. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/**
 * Answers a call that came as an upgrade, when its caller has been let in.
 *
 * @returns the service's refusal; undefined where the WebSocket is open
 * @throws GatewayError INVALID_REQUEST for another protocol or a broken handshake, SERVICE_FORBIDDEN for another origin
 */
export async function answerUpgrade(
  input: GatewayInput,
  call: GatewayCall,
  response: UpgradeResponse,
  { handler, allows, upstreamStatus }: UpgradeSettings,
): Promise<ServiceAnswer | undefined> {
  assertWebSocket(call, allows);
  assertHandshake(call.request.headers);
  if (handler === undefined) {
    throw new GatewayError('SYS_ERR', { status: 501, message: 'There are no WebSockets here.' });
  }
  const answer = await handler(input, call);
  if (!isOpen(answer)) return answer;
  if (response.destroyed)
    throw Object.assign(new Error('The client went away.'), { code: 'ECONNRESET' });
  if (answer.headers !== undefined) {
    response.switch({ ...toHead(answer.headers, call), [upstreamStatus]: String(answer.status) });
  }
  response.hand(answer.open);
  return undefined;
}

function assertWebSocket({ request }: Call, allows: UpgradeSettings['allows']): void {
  if (!isWebSocket(request)) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'The only protocol to upgrade to is a WebSocket, by GET.',
    });
  }
  // D14: "and checks `Origin`": no rule of browsers keeps a foreign page from opening a WebSocket.
  const { origin } = request.headers;
  if (origin !== undefined && !allows(origin)) {
    throw new GatewayError('SERVICE_FORBIDDEN', {
      message: `Pages of ${origin} may not open WebSockets here.`,
    });
  }
}

/**
 * RFC 6455, section 4.2.1: a client whose handshake does not match is answered with an error. Done here,
 * so that the answer has an `X-Request-Id` (D9), whichever library opens the WebSocket.
 */
function assertHandshake(headers: IncomingHttpHeaders): void {
  if (headers['sec-websocket-version'] !== '13') {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'The header Sec-WebSocket-Version must be 13.',
      headers: { 'sec-websocket-version': '13' },
    });
  }
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'The header Sec-WebSocket-Key must be 16 bytes in base64.',
    });
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? [];
  if (new Set(protocols).size < protocols.length || !protocols.every((each) => TOKEN.test(each))) {
    throw new GatewayError('INVALID_REQUEST', {
      message: 'The header Sec-WebSocket-Protocol must list each subprotocol once.',
    });
  }
}

function isOpen(answer: WebSocketAnswer | ServiceAnswer): answer is WebSocketAnswer {
  return answer.status === 101;
}

/** C3: no `Content-Disposition`. D9: `X-Request-Id` on 101 too. */
function toHead(given: NonNullable<WebSocketAnswer['headers']>, { request, requestId }: Call) {
  const { 'content-disposition': _none, ...headers } = removeHopByHop(given);
  return {
    'sec-websocket-accept': toAccept(request.headers['sec-websocket-key'] as string),
    ...(headers as Record<string, string | readonly string[]>),
    upgrade: 'websocket',
    connection: 'Upgrade',
    'x-request-id': requestId,
  };
}

/** What the router returns to the runtime, which sends nothing more once the head is sent. */
export const TAKEN: Answer = { status: 200 };
