import type { Hooks, MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import {
  gatewayError,
  gatewayResponse,
  passHeader,
  removeHeader,
  replace,
  rewriteHeaders,
  serviceResponse,
} from './support/gateway.ts';

const ID = 'X-Request-Id';
const withoutId = removeHeader(ID);

/** Changes responses that reject a WebSocket handshake, by the gateway or by the service. */
const rejection = (
  by: 'gateway' | 'service',
  change: (response: MutatedResponse, request: MutatedRequest) => unknown,
): Hooks => {
  const isHandshake = (_: MutatedResponse, { headers }: MutatedRequest) => headers.get('Upgrade');
  return by === 'gateway'
    ? gatewayError({ when: isHandshake }, change)
    : serviceResponse({ when: isHandshake }, change);
};

/** Mutants that treat responses without content, redirects and rejected handshakes differently (D7 to D9). */
export const rareResponses: Rows = {
  'GW-REQUEST-ID-METHODS': {
    'the response to a HEAD has none': gatewayResponse({ method: 'HEAD' }, withoutId),
  },
  'GW-REQUEST-ID-UPGRADE': {
    'a handshake that the gateway rejects gets none': rejection('gateway', withoutId),
  },
  'GW-HEADERS': {
    'the Location of a 307 or 308 gets the prefix of the gateway': serviceResponse(
      { status: [307, 308] },
      rewriteHeaders(/^location$/i, replace(/^\//, '/v1/cloudrun/x/')),
    ),
  },
  'GW-HOP-BY-HOP': {
    'Keep-Alive passes with an event stream': serviceResponse(
      { type: 'text/event-stream' },
      passHeader('Keep-Alive'),
    ),
  },
};
