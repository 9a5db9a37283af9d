import { gatewayError, gatewayResponse, removeHeader, valuesOfService } from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const NAME = 'X-Request-Id';
const remove = removeHeader(NAME);

export const gatewayRequestIds: Rows = {
  'GW-REQUEST-ID/1: a redirect has no X-Request-Id': gatewayResponse({ status: 302 }, remove),
  "GW-REQUEST-ID-NEW/1: the caller's ID is reused": gatewayResponse(
    { status: 200 },
    ({ headers }, request) => {
      const id = request.headers.get(NAME);
      if (id) headers.set(NAME, id);
    },
  ),
  'GW-REQUEST-ID-NEW/1: there are only twelve IDs': () => {
    let count = 0;
    return gatewayResponse({}, ({ headers }) => {
      count += 1;
      headers.set(NAME, String(count % 12));
    });
  },
  "GW-REQUEST-ID-NEW/2: the service's ID is added": gatewayResponse(
    { method: 'POST' },
    ({ headers }, request) => {
      for (const id of valuesOfService(request, NAME)) headers.add(NAME, id);
    },
  ),
  'GW-REQUEST-ID/2: a rejected handshake has no X-Request-Id': gatewayError(
    { when: (_, { headers }) => headers.get('Upgrade') },
    remove,
  ),
  'GW-REQUEST-ID/3: a response to another method than GET or POST has no X-Request-Id':
    gatewayResponse({ when: (_, { method }) => method !== 'GET' && method !== 'POST' }, remove),
  'GW-REQUEST-ID/3: a response to a preflight has no X-Request-Id': gatewayResponse(
    { method: 'OPTIONS', when: (_, { headers }) => headers.get('Access-Control-Request-Method') },
    remove,
  ),
};
