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
  'GW-ERROR/1: that of a POST has no requestId': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    changeJson({ requestId: undefined }),
  ),
  'GW-ERROR-FORBIDDEN: it is hidden as a missing service': gatewayError(FORBIDDEN, (response) =>
    Object.assign(response, toRefusal(404, 'SERVICE_NOT_FOUND')),
  ),
  'GW-ERROR-FORBIDDEN: the code differs on a deep path': gatewayError(
    { ...FORBIDDEN, path: DEEP },
    changeJson({ code: 'FORBIDDEN' }),
  ),
  'GW-ERROR-NOT-FOUND: a POST gets a 410': gatewayResponse(
    { method: 'POST', status: 404, code: 'SERVICE_NOT_FOUND' },
    setStatus(410),
  ),
  'GW-ERROR-NOT-FOUND: the beginning of a name is enough': retarget((target) =>
    target.replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
  ),
  'GW-ERROR/1: it is HTML if the caller accepts that': gatewayError(
    { when: (_, { headers }) => headers.get('Accept')?.includes('text/html') },
    setBody('<h1>An error has occurred</h1>', 'text/html'),
  ),
  'GW-REQUEST-ID/1: a redirect has none': gatewayResponse({ status: 302 }, remove),
  'GW-ERROR/2: the requestId for a POST differs': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    (response) => changeJson({ requestId: randomUUID() })(response),
  ),
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
  'GW-REQUEST-ID/2: a rejected handshake has none': gatewayError(
    { when: (_, { headers }) => headers.get('Upgrade') },
    remove,
  ),
  'GW-REQUEST-ID/3: that to another method has none': gatewayResponse(
    { when: (_, { method }) => method !== 'GET' && method !== 'POST' },
    remove,
  ),
  'GW-REQUEST-ID/3: that to a preflight has none': gatewayResponse(
    { method: 'OPTIONS', when: (_, { headers }) => headers.get('Access-Control-Request-Method') },
    remove,
  ),
};
