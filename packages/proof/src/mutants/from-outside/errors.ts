import { type Mutant, mutant, mutantsOf } from '../mutant.ts';
import {
  changeJson,
  gatewayError,
  replaceBy,
  setBody,
  setHeader,
  setStatus,
  toRefusal,
} from '../support/gateway.ts';
import { retarget } from '../support/storage.ts';

const MISSING = { code: 'SERVICE_NOT_FOUND' };
const FORBIDDEN = { code: 'SERVICE_FORBIDDEN' };
const DEEP = /(\/[^/]*){5}/;

/** Mutants that send incorrect gateway errors or look up services incorrectly, as some real gateways do. */
export const errors: readonly Mutant[] = [
  ...mutantsOf('GW-ERROR-BODY', {
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
  }),
  ...mutantsOf('GW-ERROR-CODE', {
    'it is a number': gatewayError(
      { when: ({ json }) => json && ![MISSING.code, FORBIDDEN.code].includes(json.code) },
      changeJson({ code: 401 }),
    ),
    'it is inside an object named error': gatewayError(
      { status: 401 },
      changeJson((json) => {
        Object.assign(json, { error: { code: json.code }, code: undefined });
      }),
    ),
  }),
  ...mutantsOf('GW-ERROR-MESSAGE', {
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
  }),
  ...mutantsOf('GW-ERROR-REQUEST-ID', {
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
  }),
  ...mutantsOf('GW-ERROR-FORBIDDEN', {
    'it is hidden as a missing service': gatewayError(
      FORBIDDEN,
      replaceBy(() => toRefusal(404, 'SERVICE_NOT_FOUND')),
    ),
    'its code is FORBIDDEN on a deep path': gatewayError(
      { ...FORBIDDEN, path: DEEP },
      changeJson({ code: 'FORBIDDEN' }),
    ),
    'it is 401 on POST': gatewayError({ ...FORBIDDEN, method: 'POST' }, setStatus(401)),
  }),
  ...mutantsOf('GW-ERROR-NOT-FOUND', {
    'a missing service gets NOT_FOUND': gatewayError(MISSING, changeJson({ code: 'NOT_FOUND' })),
    'a missing service gets 503 on a deep path': gatewayError(
      { ...MISSING, path: DEEP },
      setStatus(503),
    ),
    'a missing service that begins like another calls that one': retarget((target) =>
      target.replace(/(?<=^\/v1\/cloudrun\/)conformance[\w-]+(?=[/?]|$)/, 'conformance'),
    ),
  }),
  ...(
    [
      ['of 60 characters is rejected', /^.{60}$/],
      ['of more than 32 characters is rejected', /^.{33,60}$/],
      ['of two characters is rejected', /^..$/],
      ['with an underscore is rejected', /^[a-z]\w*_\w*$/i],
      ['with an upper case letter is rejected', /^(?=.*[A-Z])[\w-]{1,60}$/],
      ['with two hyphens in a row is rejected', /^[a-z]+.*--.*[a-z\d]$/],
      ['that ends with a digit is rejected', /^[a-z][\w-]*\d$/],
      ['with a hyphen is rejected', /^[a-z]+-[\w-]*\w$/i],
    ] as const
  ).map(([what, service]) =>
    mutant(
      'GW-NAME-ACCEPTED',
      `a name ${what}`,
      gatewayError(
        { ...MISSING, service },
        replaceBy(() => toRefusal(400, 'INVALID_REQUEST')),
      ),
    ),
  ),
  ...(
    [
      ['GW-NAME-LENGTH', 'a name of 61 characters gets 500', /^.{61}$/],
      ['GW-NAME-LENGTH', 'a name of one character gets 500', /^[a-zA-Z]$/],
      ['GW-NAME-LENGTH', 'a name of more than 63 characters gets 500', /^.{64,}$/],
      ['GW-NAME-PATTERN', 'a name that begins with a digit gets 500', /^\d/],
      ['GW-NAME-PATTERN', 'a name that ends with a hyphen gets 500', /-$/],
      ['GW-NAME-PATTERN', 'a name that ends with an underscore gets 500', /_$/],
      ['GW-NAME-PATTERN', 'a name that begins with an underscore gets 500', /^_/],
      ['GW-NAME-PATTERN', 'a name with a dot gets 500', /\./],
      ['GW-NAME-PATTERN', 'a name with escaped Chinese gets 500', /%e[4-9]/i],
      ['GW-NAME-PATTERN', 'a name with a tilde gets 500', /~/],
      ['GW-NAME-PATTERN', 'a name with an escaped space gets 500', /%20/],
    ] as const
  ).map(([rule, breaks, service]) =>
    mutant(rule, breaks, gatewayError({ service }, setStatus(500))),
  ),
  mutant(
    'GW-NAME-LENGTH',
    'a name that is too long gets an HTML page',
    gatewayError({ service: /^.{61,}$/ }, setBody('<h1>400 Bad Request</h1>', 'text/html')),
  ),
  ...mutantsOf('GW-NAME-PATTERN', {
    'a name with a dot gets an HTML page': gatewayError(
      { service: /\./ },
      setBody('<h1>404 Not Found</h1>', 'text/html'),
    ),
    'hyphens and underscores around a name are trimmed': retarget((target) =>
      target.replace(/(?<=^\/v1\/cloudrun\/)(?:[-_]+(\w+)|(\w+?)[-_]+)(?=[/?]|$)/, '$1$2'),
    ),
  }),
];
