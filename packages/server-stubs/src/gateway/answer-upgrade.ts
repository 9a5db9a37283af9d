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

/**
 * Answers a call that came as an upgrade, when its caller has been let in.
 *
 * @returns the service's refusal; undefined where the WebSocket is open
 * @throws GatewayError INVALID_REQUEST for another protocol, SERVICE_FORBIDDEN for another origin
 */
export async function answerUpgrade(
  input: GatewayInput,
  call: GatewayCall,
  response: UpgradeResponse,
  { handler, allows, upstreamStatus }: UpgradeSettings,
): Promise<ServiceAnswer | undefined> {
  assertWebSocket(call, allows);
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

function isOpen(answer: WebSocketAnswer | ServiceAnswer): answer is WebSocketAnswer {
  return answer.status === 101;
}

/** C3: no `Content-Disposition`. D9: `X-Request-Id` on 101 too. */
function toHead(given: NonNullable<WebSocketAnswer['headers']>, { request, requestId }: Call) {
  const { 'content-disposition': _none, ...headers } = removeHopByHop(given);
  const key = request.headers['sec-websocket-key'] ?? '';
  return {
    'sec-websocket-accept': toAccept(key),
    ...(headers as Record<string, string | readonly string[]>),
    upgrade: 'websocket',
    connection: 'Upgrade',
    'x-request-id': requestId,
  };
}

/** What the router returns to the runtime, which sends nothing more once the head is sent. */
export const TAKEN: Answer = { status: 200 };
