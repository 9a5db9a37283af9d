import { type Mutant, mutant, mutantsOf } from './mutant.ts';
import {
  accept,
  authenticate,
  claimsOf,
  headOf,
  reject,
  rejectSigned,
} from './support/credentials.ts';
import {
  callAgain,
  gatewayRequest,
  gatewayResponse,
  setStatus,
  toRefusal,
} from './support/gateway.ts';

export const auth: readonly Mutant[] = [
  mutant('AU-BEARER', 'only signatures are accepted', {
    ...reject((value) => value.startsWith('Bearer ')),
    upgrade: ({ headers }) =>
      headers.get('Authorization')?.startsWith('Bearer ')
        ? toRefusal(401, 'SIGNATURE_REQUIRED')
        : undefined,
  }),
  mutant(
    'AU-BEARER-ENV',
    'a token from another environment is accepted on GET',
    accept(
      (value, { method }, { otherAuthorization }) =>
        method === 'GET' && value === otherAuthorization,
    ),
  ),
  mutant(
    'AU-SIGNATURE',
    'only tokens are accepted on POST',
    rejectSigned(({ method }) => method === 'POST'),
  ),
  ...mutantsOf('AU-NONE', {
    'a POST to the root needs no credentials': accept(
      (value, { method, path, service }) =>
        value === undefined && method === 'POST' && path === `/v1/cloudrun/${service}`,
    ),
    'a POST without credentials is rejected only after the service has been called': (context) =>
      gatewayRequest(async (request) => {
        const { method, headers } = request;
        if (method !== 'POST' || headers.get('Authorization') !== undefined) return;
        await callAgain(context, request, { Authorization: context.authorization });
      }),
    'a GET without credentials is redirected to a login page': gatewayResponse(
      {
        method: 'GET',
        path: /(\/[^/]*){4}/,
        when: (_, { headers }) => !headers.get('Authorization') && !headers.get('Upgrade'),
      },
      (response) => {
        response.status = 302;
        response.headers.set('Location', '/login');
      },
    ),
  }),
  ...mutantsOf('AU-BEARER-BAD', {
    'a token with the algorithm none is accepted': accept(
      (value = '') => /^Bearer [\w-]+\.[\w-]+\.$/.test(value) && headOf(value)?.alg === 'none',
    ),
    'an expired token is accepted': accept(
      (value) => (claimsOf(value)?.exp ?? Number.NaN) * 1000 < Date.now(),
    ),
    'the signature of a token is not verified': accept((value = '', _, { authorization }) => {
      const [head, payload] = authorization.split('.');
      const [givenHead, givenPayload, signature] = value.split('.');
      return givenHead === head && givenPayload === payload && signature;
    }),
    'a token that is not a JSON Web Token causes a 500': gatewayResponse(
      { when: (_, { headers }) => headers.get('Authorization') === 'Bearer undefined' },
      setStatus(500),
    ),
  }),
  mutant('AU-EACH-CALL', 'a call without credentials uses those of its connection', (context) => {
    const trusted = new WeakSet<object>();
    return gatewayRequest((request) => {
      if (request.headers.get('Authorization') === context.authorization)
        trusted.add(request.connection);
      else if (trusted.has(request.connection)) authenticate(request, context);
    });
  }),
  ...mutantsOf('AU-SCHEME-UNKNOWN', {
    'any Basic credentials are accepted': accept((value = '') => /^Basic \S/.test(value)),
    'a valid token is accepted with any scheme': accept((value, _, { authorization }) =>
      value?.endsWith(` ${authorization.split(' ').at(-1)}`),
    ),
  }),
];
