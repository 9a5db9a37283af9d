import type { MutatedRequest, MutatedResponse } from '../proxy/messages.ts';
import type { MutantContext, Rows } from './mutant.ts';
import {
  accept,
  authenticate,
  claimsOf,
  headOf,
  reject,
  rejectSigned,
  signedNames,
} from './support/credentials.ts';
import {
  callAgain,
  gatewayRequest,
  gatewayResponse,
  setStatus,
  toGatewayResponse,
  toRefusal,
} from './support/gateway.ts';

const isLive = (value?: string) => (claimsOf(value)?.exp ?? 0) > Date.now() / 1_000;
const tokenOf = ({ authorization }: MutantContext) => authorization.replace('Bearer ', '');
const isRoot = ({ path }: MutatedRequest) => path.split('/').length < 5;

/** Responds in its own way to requests without credentials. */
const withoutAny = (toResponse: () => MutatedResponse) =>
  gatewayRequest(({ headers, method }) =>
    headers.get('Authorization') || method === 'OPTIONS' ? undefined : toResponse(),
  );

/** Accepts requests by any of their headers. */
const acceptWith = (
  isAccepted: (get: (name: string) => string | undefined, context: MutantContext) => unknown,
) => accept((_, { headers }, context) => isAccepted((name) => headers.get(name), context));

export const auth: Rows = {
  'AU-BEARER': {
    'only signatures are accepted': {
      ...reject((value) => value.startsWith('Bearer ')),
      upgrade: ({ headers }) =>
        headers.get('Authorization')?.startsWith('Bearer ')
          ? toRefusal(401, 'SIGNATURE_REQUIRED')
          : undefined,
    },
    'a bearer token is not enough on POST': reject(
      (value, { method }) => value.startsWith('Bearer') && method === 'POST',
    ),
    'a bearer token is not enough at the root of a service': reject(
      (value, { path }) => value.startsWith('Bearer') && path.split('/').length === 4,
    ),
  },
  'AU-BEARER-ENV': {
    'a token from another environment is accepted on GET': [
      accept(
        (value, { method }, { otherAuthorization }) =>
          method === 'GET' && value === otherAuthorization,
      ),
      'AU-EACH-CALL',
    ],
    'a token from another environment is accepted on POST': accept(
      (value, { method }, { otherAuthorization }) =>
        method === 'POST' && value === otherAuthorization,
    ),
    'a token from another environment is accepted at the root': accept(
      (value, call, { otherAuthorization }) => isRoot(call) && value === otherAuthorization,
    ),
    'a token from another environment is accepted with an X-Forwarded-Host': acceptWith(
      (get, { otherAuthorization }) =>
        get('Authorization') === otherAuthorization && get('X-Forwarded-Host'),
    ),
  },
  'AU-SIGNATURE': {
    'only tokens are accepted on POST': rejectSigned(({ method }) => method === 'POST'),
    'a signature is not enough on GET': reject(
      (value, { method }) => value.startsWith('TC3') && method === 'GET',
    ),
    'content-type must be signed': rejectSigned(
      (_, parts) => !signedNames(parts).some((name) => /^content-type$/i.test(name)),
    ),
    'a header with spaces after its commas is rejected on POST': rejectSigned(
      ({ headers, method }) => method === 'POST' && /,\s/.test(headers.get('Authorization') ?? ''),
    ),
  },
  'AU-NONE': {
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
    'none are needed at the root of a service on GET': accept(
      (value, call) => !value && call.method === 'GET' && isRoot(call),
    ),
    'an empty header is accepted': accept((value) => value === ''),
    'the response has no body': withoutAny(() => {
      const response = toGatewayResponse(401);
      response.headers.set('WWW-Authenticate', 'Bearer');
      return response;
    }),
    'a call that seems to come from this machine is accepted': acceptWith(
      (get) =>
        !get('Authorization') &&
        /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
    ),
    'a call with the name of a user is accepted': acceptWith(
      (get) => !get('Authorization') && (get('X-Forwarded-User') || get('X-Remote-User')),
    ),
    'a call with a marker of internal calls is accepted': acceptWith(
      (get) => !get('Authorization') && /^(1|true)$/.test(get('X-Internal') ?? ''),
    ),
  },
  'AU-BEARER-BAD': {
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
    'only the first 100 characters of a token are compared': accept(
      (value, _, { authorization }) => value?.slice(0, 107) === authorization.slice(0, 107),
    ),
    'what follows a token is ignored': accept((value, _, { authorization }) =>
      value?.startsWith(authorization),
    ),
    'a truncated token is accepted': accept(
      (value = '', _, { authorization }) => value.length > 40 && authorization.startsWith(value),
    ),
    'an empty token is accepted': accept((value = '') => /^Bearer\s*$/.test(value)),
    'an expired token gets an HTML page': gatewayRequest(({ headers }) => {
      const value = headers.get('Authorization') ?? '';
      const isExpired = value.startsWith('Bearer ') && claimsOf(value)?.exp && !isLive(value);
      return isExpired ? toGatewayResponse(401, 'text/html', '<h1>expired</h1>') : undefined;
    }),
  },
  'AU-EACH-CALL': {
    'a call without credentials uses those of its connection': (context) => {
      const trusted = new WeakSet<object>();
      return gatewayRequest((request) => {
        if (request.headers.get('Authorization') === context.authorization)
          trusted.add(request.connection);
        else if (trusted.has(request.connection)) authenticate(request, context);
      });
    },
  },
  'AU-SCHEME-UNKNOWN': {
    'any Basic credentials are accepted': accept((value = '') => /^Basic \S/.test(value)),
    'a valid token is accepted with any scheme': accept((value, _, { authorization }) =>
      value?.endsWith(` ${authorization.split(' ').at(-1)}`),
    ),
    'a valid token without a scheme is accepted': accept(
      (value, _, context) => value === tokenOf(context),
    ),
    'Digest is accepted': accept((value) => value?.startsWith('Digest')),
    'a scheme that begins with Bearer is accepted': accept(
      (value = '', _, context) => /^Bearer\S/.test(value) && value.endsWith(tokenOf(context)),
    ),
    'a valid token as the password of Basic is accepted': accept((value = '', _, context) =>
      Buffer.from(value.replace(/^Basic /, ''), 'base64')
        .toString()
        .includes(tokenOf(context)),
    ),
    'any scheme but Bearer and TC3 gets 500': gatewayRequest(({ headers }) =>
      /^(Bearer|TC3|$)/.test(headers.get('Authorization') ?? '')
        ? undefined
        : toRefusal(500, 'SYS_ERR'),
    ),
    'the token is accepted in Proxy-Authorization': acceptWith(
      (get, context) =>
        !get('Authorization') && get('Proxy-Authorization') === context.authorization,
    ),
    'the token is accepted in X-Svc-SessionToken': acceptWith(
      (get, context) => !get('Authorization') && get('X-Svc-SessionToken') === tokenOf(context),
    ),
    'credentials of the storage API are accepted': acceptWith(
      (get) => !get('Authorization') && /^1\.0 TC3/.test(get('X-Svc-Authorization') ?? ''),
    ),
    'the authorization of the storage API is accepted in Authorization': acceptWith((get) =>
      /^1\.0 TC3/.test(get('Authorization') ?? ''),
    ),
    'any X-Api-Key is accepted': acceptWith((get) => !get('Authorization') && get('X-Api-Key')),
  },
};
