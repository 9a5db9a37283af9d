import type { Rows } from './mutant.ts';
import {
  changeJson,
  gatewayError,
  gatewayResponse,
  replace,
  setHeader,
  setStatus,
  toRefusal,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const DEEP = /(\/[^/]*){5}/;

export const gatewayErrors: Rows = {
  'GW-ERROR/1: credential errors are sent as problem+json': gatewayResponse(
    { status: 401, when: ({ json }) => json?.code },
    setHeader('Content-Type', 'application/problem+json'),
  ),
  'GW-ERROR/1: it is inside an object named error': gatewayError(
    { status: 401 },
    changeJson((json) => {
      Object.assign(json, { error: { code: json.code }, code: undefined });
    }),
  ),
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
    replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
  ),
};
