import type { Rows } from './mutant.ts';
import {
  changeJson,
  gatewayError,
  gatewayResponse,
  replace,
  replaceBy,
  setHeader,
  setStatus,
  toRefusal,
} from './support/gateway.ts';
import { retarget } from './support/storage.ts';

const MISSING = { code: 'SERVICE_NOT_FOUND' };
const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const DEEP = /(\/[^/]*){5}/;

export const gatewayErrors: Rows = {
  'GW-ERROR-BODY': {
    'credential errors are sent as problem+json': gatewayResponse(
      { status: 401, when: ({ json }) => json?.code },
      setHeader('Content-Type', 'application/problem+json'),
    ),
    'the type for a missing service is text/plain': gatewayError(
      MISSING,
      setHeader('Content-Type', 'text/plain'),
    ),
    'a forbidden service gets problem+json': gatewayError(
      FORBIDDEN,
      setHeader('Content-Type', 'application/problem+json'),
    ),
    'it is JSON in a JSON string on POST': gatewayError(
      { ...MISSING, method: 'POST' },
      (response) => {
        response.json = response.body.toString();
      },
    ),
  },
  'GW-ERROR-CODE': {
    'the code for an invalid name is a number': gatewayResponse(
      { status: 400, when: ({ json }) => json?.code },
      changeJson({ code: 400 }),
    ),
    'it is inside an object named error': gatewayError(
      { status: 401 },
      changeJson((json) => {
        Object.assign(json, { error: { code: json.code }, code: undefined });
      }),
    ),
  },
  'GW-ERROR-MESSAGE': {
    'the error for a missing service has no message': gatewayResponse(
      { code: 'SERVICE_NOT_FOUND' },
      changeJson({ message: undefined }),
    ),
    'it is null with a forbidden service': gatewayError(FORBIDDEN, changeJson({ message: null })),
    'it is missing without credentials': gatewayError(
      { when: (_, { headers }) => !headers.get('Authorization') },
      changeJson({ message: undefined }),
    ),
    'it is a list for an invalid name': gatewayError(
      { status: 400 },
      changeJson((json) => {
        json.message = [json.message];
      }),
    ),
  },
  'GW-ERROR-REQUEST-ID': {
    'the error for a POST to a missing service has no requestId': gatewayResponse(
      { method: 'POST', code: 'SERVICE_NOT_FOUND' },
      changeJson({ requestId: undefined }),
    ),
    'it is spelled request_id if credentials are wrong': gatewayError(
      { status: 401 },
      changeJson((json) => {
        Object.assign(json, { request_id: json.requestId, requestId: undefined });
      }),
    ),
    'it is a number': gatewayError(MISSING, (response) => {
      changeJson({ requestId: 4711 })(response);
      response.headers.set('X-Request-Id', '4711');
    }),
  },
  'GW-ERROR-FORBIDDEN': {
    'a POST to a forbidden service gets a different code': gatewayResponse(
      { method: 'POST', code: 'SERVICE_FORBIDDEN' },
      changeJson({ code: 'FORBIDDEN' }),
    ),
    'it is hidden as a missing service': gatewayError(
      FORBIDDEN,
      replaceBy(() => toRefusal(404, 'SERVICE_NOT_FOUND')),
    ),
    'its code is FORBIDDEN on a deep path': gatewayError(
      { ...FORBIDDEN, path: DEEP },
      changeJson({ code: 'FORBIDDEN' }),
    ),
    'it is 401 on POST': gatewayError({ ...FORBIDDEN, method: 'POST' }, setStatus(401)),
  },
  'GW-ERROR-NOT-FOUND': {
    'a POST to a missing service gets a 410': [
      gatewayResponse({ method: 'POST', status: 404, code: 'SERVICE_NOT_FOUND' }, setStatus(410)),
      'GW-NAME-ACCEPTED',
    ],
    'a missing service gets NOT_FOUND': gatewayError(MISSING, changeJson({ code: 'NOT_FOUND' })),
    'a missing service gets 503 on a deep path': gatewayError(
      { ...MISSING, path: DEEP },
      setStatus(503),
    ),
    'a missing service that begins like another calls that one': retarget(
      replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
    ),
  },
};
