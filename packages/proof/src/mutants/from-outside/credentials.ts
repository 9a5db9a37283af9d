import type { MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant, mutantsOf } from '../mutant.ts';
import { accept, authenticateStorage, claimsOf, headOf, reject } from '../support/credentials.ts';
import { callAgain, gatewayRequest, toGatewayResponse, toRefusal } from '../support/gateway.ts';
import { OPERATIONS, request, retarget } from '../support/storage.ts';

const isOf = ({ env }: MutantContext, value?: string) =>
  [claimsOf(value)?.aud].flat().includes(env);
const isLive = (value?: string) => (claimsOf(value)?.exp ?? 0) > Date.now() / 1_000;
const tokenOf = ({ authorization }: MutantContext) => authorization.replace('Bearer ', '');
const isRoot = ({ path }: MutatedRequest) => path.split('/').length < 5;

/** Responds in its own way to requests without credentials. */
const withoutAny = (toResponse: () => MutatedResponse) =>
  gatewayRequest(({ headers, method }) =>
    headers.get('Authorization') || method === 'OPTIONS' ? undefined : toResponse(),
  );

/** How gateways check credentials. */
const gateway: readonly Mutant[] = [
  ...mutantsOf('AU-BEARER', {
    'a bearer token is not enough on POST': reject(
      (value, { method }) => value.startsWith('Bearer') && method === 'POST',
    ),
    'a bearer token is not enough at the root of a service': reject(
      (value, { path }) => value.startsWith('Bearer') && path.split('/').length === 4,
    ),
  }),
  ...mutantsOf('AU-BEARER-ENV', {
    'a token from another environment is accepted': accept(
      (value, _, { otherAuthorization }) => value === otherAuthorization,
    ),
    'a token from another environment is accepted on POST': accept(
      (value, { method }, { otherAuthorization }) =>
        method === 'POST' && value === otherAuthorization,
    ),
    'a token from another environment is accepted at the root': accept(
      (value, call, { otherAuthorization }) => isRoot(call) && value === otherAuthorization,
    ),
  }),
  mutant(
    'AU-SIGNATURE',
    'a signature is not enough on GET',
    reject((value, { method }) => value.startsWith('TC3') && method === 'GET'),
  ),
  ...mutantsOf('AU-NONE', {
    'none are needed at the root of a service on GET': accept(
      (value, call) => !value && call.method === 'GET' && isRoot(call),
    ),
    'none are needed on POST': accept((value, { method }) => !value && method === 'POST'),
    'an empty header is accepted': accept((value) => value === ''),
    'it gets a redirect to a login page': withoutAny(() => {
      const response = toGatewayResponse(302);
      response.headers.set('Location', '/login');
      return response;
    }),
    'the response has no body': withoutAny(() => {
      const response = toGatewayResponse(401);
      response.headers.set('WWW-Authenticate', 'Bearer');
      return response;
    }),
    'the service is called, but its response is withheld': (context) =>
      gatewayRequest(async (call) => {
        if (call.headers.get('Authorization') || call.method === 'OPTIONS') return;
        await callAgain(context, call, { Authorization: context.authorization });
      }),
  }),
  ...mutantsOf('AU-BEARER-BAD', {
    'an expired token is accepted': accept(
      (value, _, context) => isOf(context, value) && !isLive(value),
    ),
    'the signature of a token is not verified': accept(
      (value, _, context) => isOf(context, value) && isLive(value),
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
    'a token with the algorithm none is accepted': accept((value) =>
      /^none$/i.test(headOf(value)?.alg ?? ''),
    ),
    'an invalid token gets 500': reject(
      (value) => value.startsWith('Bearer ') && claimsOf(value) === undefined,
      500,
    ),
    'an expired token gets an HTML page': gatewayRequest(({ headers }) => {
      const value = headers.get('Authorization') ?? '';
      const isExpired = value.startsWith('Bearer ') && claimsOf(value)?.exp && !isLive(value);
      return isExpired ? toGatewayResponse(401, 'text/html', '<h1>expired</h1>') : undefined;
    }),
  }),
  ...mutantsOf('AU-SCHEME-UNKNOWN', {
    'Basic is accepted': accept((value) => value?.startsWith('Basic')),
    'a valid token is accepted with any scheme': accept(
      (value, _, context) => value?.split(' ')[1] === tokenOf(context),
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
  }),
];

const CREDENTIALS = ['X-Svc-Authorization', 'X-Svc-SessionToken', 'X-Svc-TimeStamp'];
const toEnv = (target: string, rewrite: (env: string) => string) =>
  target.replace(/(?<=\/envs\/)[^/]+/, rewrite);

/** Accepts calls by their headers. */
const acceptStorage =
  (
    operations: readonly (typeof OPERATIONS)[number][],
    isAccepted: (headers: MutatedRequest['headers'], context: MutantContext) => unknown,
  ): Mutant['create'] =>
  (context) => ({
    request(call) {
      const isOne = operations.some((operation) => operation === call.operation);
      if (isOne && isAccepted(call.headers, context)) authenticateStorage(call, context);
    },
  });

/** How storage services look at credentials. */
const storage: readonly Mutant[] = [
  ...OPERATIONS.map((one) =>
    mutant(
      'AU-STORAGE-NONE',
      `${one} needs none`,
      acceptStorage([one], (headers) => CREDENTIALS.every((name) => !headers.get(name))),
    ),
  ),
  mutant(
    'AU-STORAGE-AUTHORIZATION',
    'a timestamp alone is enough',
    acceptStorage(
      OPERATIONS,
      (headers) => !headers.get('X-Svc-Authorization') && headers.get('X-Svc-TimeStamp'),
    ),
  ),
  ...OPERATIONS.map((one) =>
    mutant(
      'AU-STORAGE-WRONG',
      `${one} accepts any credential`,
      acceptStorage([one], (headers) => headers.get('X-Svc-Authorization')),
    ),
  ),
  mutant(
    'AU-STORAGE-WRONG',
    'only the beginning of a credential is compared',
    acceptStorage(OPERATIONS, (headers, { storageHeaders, keyPair }) => {
      const value = headers.get('X-Svc-Authorization');
      const { length } = storageHeaders()['X-Svc-Authorization'] ?? '';
      return value?.length === length && value.includes(keyPair.id);
    }),
  ),
  ...OPERATIONS.map((one) =>
    mutant('AU-STORAGE-ENV', `the environment of ${one} is not checked`, ({ env }) =>
      request(one, (call) => {
        call.target = toEnv(call.target, () => env);
      }),
    ),
  ),
  mutant('AU-STORAGE-ENV', 'environments are compared by their beginning', (context) =>
    retarget((target) => toEnv(target, (env) => (env.startsWith(context.env) ? context.env : env))),
  ),
];

export const credentials: readonly Mutant[] = [...gateway, ...storage];
