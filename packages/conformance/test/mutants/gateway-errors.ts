import { randomUUID } from 'node:crypto';
import {
  changeJson,
  gatewayError,
  gatewayResponse,
  removeHeader,
  retarget,
  setBody,
  setStatus,
  toRefusal,
  valuesOfService,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const DEEP = /(\/[^/]*){5}/;

const NAME = 'X-Request-Id';
const remove = removeHeader(NAME);

export const gatewayErrors: Rows = {
  'GW-ERROR/1: the error for a POST to a missing service has no requestId': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    changeJson({ requestId: undefined }),
  ),
  'GW-ERROR-FORBIDDEN: it is hidden as a missing service': gatewayError(FORBIDDEN, (response) =>
    Object.assign(response, toRefusal(404, 'SERVICE_NOT_FOUND')),
  ),
  'GW-ERROR-FORBIDDEN: its code is FORBIDDEN on a deep path': gatewayError(
    { ...FORBIDDEN, path: DEEP },
    changeJson({ code: 'FORBIDDEN' }),
  ),
  'GW-ERROR-NOT-FOUND: a POST to a missing service gets a 410': gatewayResponse(
    { method: 'POST', status: 404, code: 'SERVICE_NOT_FOUND' },
    setStatus(410),
  ),
  'GW-ERROR-NOT-FOUND: a missing service that begins like another calls that one': retarget(
    (target) => target.replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
  ),
  'GW-ERROR/1: an error is an HTML page if the caller accepts one': gatewayError(
    { when: (_, { headers }) => headers.get('Accept')?.includes('text/html') },
    setBody('<h1>An error has occurred</h1>', 'text/html'),
  ),
  'GW-REQUEST-ID/1: a redirect from the service has no X-Request-Id': gatewayResponse(
    { status: 302 },
    remove,
  ),
  'GW-ERROR/2: the requestId in an error response to a POST differs from the header':
    gatewayResponse({ method: 'POST', code: 'SERVICE_NOT_FOUND' }, (response) =>
      changeJson({ requestId: randomUUID() })(response),
    ),
  "GW-REQUEST-ID-NEW/1: the caller's X-Request-Id is reused": gatewayResponse(
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
  "GW-REQUEST-ID-NEW/2: the service's X-Request-Id is sent alongside the gateway's":
    gatewayResponse({ method: 'POST' }, ({ headers }, request) => {
      for (const id of valuesOfService(request, NAME)) headers.add(NAME, id);
    }),
  'GW-REQUEST-ID/2: a handshake that the gateway rejects gets none': gatewayError(
    { when: (_, { headers }) => headers.get('Upgrade') },
    remove,
  ),
  'GW-REQUEST-ID/3: the response to a method other than GET and POST has no X-Request-Id':
    gatewayResponse({ when: (_, { method }) => method !== 'GET' && method !== 'POST' }, remove),
  'GW-REQUEST-ID/3: the response to a preflight has none': gatewayResponse(
    { method: 'OPTIONS', when: (_, { headers }) => headers.get('Access-Control-Request-Method') },
    remove,
  ),
};
