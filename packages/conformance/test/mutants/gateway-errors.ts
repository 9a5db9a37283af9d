import {
  changeJson,
  gatewayError,
  gatewayResponse,
  retarget,
  setBody,
  setStatus,
  toRefusal,
} from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const DEEP = /(\/[^/]*){5}/;

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
};
