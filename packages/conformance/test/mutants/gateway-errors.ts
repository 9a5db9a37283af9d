import { randomUUID } from 'node:crypto';
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
const WRONG: Parameters<typeof gatewayError>[0] = {
  when: (_, { headers }) => headers.get('Authorization') === 'Bearer wrong',
};
const DEEP = /(\/[^/]*){5}/;

export const gatewayErrors: Rows = {
  'GW-ERROR/1: an error for a POST has no requestId': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    changeJson({ requestId: undefined }),
  ),
  'GW-ERROR-FORBIDDEN: a forbidden service is hidden as a missing one': gatewayError(
    FORBIDDEN,
    (response) => Object.assign(response, toRefusal(404, 'SERVICE_NOT_FOUND')),
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
  'GW-ERROR/1: an error is HTML if the caller accepts that': gatewayError(
    { when: (_, { headers }) => headers.get('Accept')?.includes('text/html') },
    setBody('<h1>An error has occurred</h1>', 'text/html'),
  ),
  'GW-ERROR/1: an error with a code of its own has no message': gatewayError(
    WRONG,
    changeJson({ code: 'NOT_HERE', message: undefined }),
  ),
  'GW-ERROR/2: the requestId next to a code of its own differs': gatewayError(WRONG, (response) =>
    changeJson({ code: 'NOT_HERE', requestId: randomUUID() })(response),
  ),
  'GW-ERROR/2: the requestId for a POST differs': gatewayResponse(
    { method: 'POST', code: 'SERVICE_NOT_FOUND' },
    (response) => changeJson({ requestId: randomUUID() })(response),
  ),
};
