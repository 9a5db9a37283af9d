import type { RuleId } from '../../../../conformance/src/generated/rule-ids.gen.ts';
import type { MutatedRequest, MutatedResponse } from '../../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant } from '../mutant.ts';
import { accept, authenticateStorage, claimsOf, headOf, reject } from '../support/credentials.ts';
import { callAgain, gatewayRequest, toGatewayResponse, toRefusal } from '../support/gateway.ts';
import { OPERATIONS, request, retarget } from '../support/storage.ts';

const lax = (rule: RuleId, breaks: string, ...given: Parameters<typeof accept>): Mutant =>
  mutant(rule, breaks, accept(...given));
const strict = (rule: RuleId, breaks: string, ...given: Parameters<typeof reject>): Mutant =>
  mutant(rule, breaks, reject(...given));

const isOf = ({ env }: MutantContext, value?: string) =>
  [claimsOf(value)?.aud].flat().includes(env);
const isLive = (value?: string) => (claimsOf(value)?.exp ?? 0) > Date.now() / 1_000;
const tokenOf = ({ authorization }: MutantContext) => authorization.replace('Bearer ', '');
const isRoot = ({ path }: MutatedRequest) => path.split('/').length < 5;

/** Responds in its own way to requests without credentials. */
const withoutAny = (breaks: string, toResponse: () => MutatedResponse): Mutant =>
  mutant(
    'AU-NONE',
    breaks,
    gatewayRequest(({ headers, method }) =>
      headers.get('Authorization') || method === 'OPTIONS' ? undefined : toResponse(),
    ),
  );

/** How gateways check credentials. */
const gateway: readonly Mutant[] = [
  strict(
    'AU-BEARER',
    'a bearer token is not enough on POST',
    (value, { method }) => value.startsWith('Bearer') && method === 'POST',
  ),
  strict(
    'AU-BEARER',
    'a bearer token is not enough at the root of a service',
    (value, { path }) => value.startsWith('Bearer') && path.split('/').length === 4,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token from another environment is accepted',
    (value, _, { otherAuthorization }) => value === otherAuthorization,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token from another environment is accepted on POST',
    (value, { method }, { otherAuthorization }) =>
      method === 'POST' && value === otherAuthorization,
  ),
  lax(
    'AU-BEARER-ENV',
    'a token from another environment is accepted at the root',
    (value, call, { otherAuthorization }) => isRoot(call) && value === otherAuthorization,
  ),
  strict(
    'AU-SIGNATURE',
    'a signature is not enough on GET',
    (value, { method }) => value.startsWith('TC3') && method === 'GET',
  ),
  lax(
    'AU-NONE',
    'none are needed at the root of a service on GET',
    (value, call) => !value && call.method === 'GET' && isRoot(call),
  ),
  lax('AU-NONE', 'none are needed on POST', (value, { method }) => !value && method === 'POST'),
  lax('AU-NONE', 'an empty header is accepted', (value) => value === ''),
  withoutAny('it gets a redirect to a login page', () => {
    const response = toGatewayResponse(302);
    response.headers.set('Location', '/login');
    return response;
  }),
  withoutAny('the response has no body', () => {
    const response = toGatewayResponse(401);
    response.headers.set('WWW-Authenticate', 'Bearer');
    return response;
  }),
  mutant('AU-NONE', 'the service is called, but its response withheld', (context) =>
    gatewayRequest(async (call) => {
      if (call.headers.get('Authorization') || call.method === 'OPTIONS') return;
      await callAgain(context, call, { Authorization: context.authorization });
    }),
  ),
  lax(
    'AU-BEARER-BAD',
    'an expired token is accepted',
    (value, _, context) => isOf(context, value) && !isLive(value),
  ),
  lax(
    'AU-BEARER-BAD',
    'the signature of a token is not verified',
    (value, _, context) => isOf(context, value) && isLive(value),
  ),
  lax(
    'AU-BEARER-BAD',
    'a token is compared by its first 100 characters',
    (value, _, { authorization }) => value?.slice(0, 107) === authorization.slice(0, 107),
  ),
  lax('AU-BEARER-BAD', 'what follows a token is ignored', (value, _, { authorization }) =>
    value?.startsWith(authorization),
  ),
  lax(
    'AU-BEARER-BAD',
    'a truncated token is accepted',
    (value = '', _, { authorization }) => value.length > 40 && authorization.startsWith(value),
  ),
  lax('AU-BEARER-BAD', 'an empty token is accepted', (value = '') => /^Bearer\s*$/.test(value)),
  lax('AU-BEARER-BAD', 'a token with the algorithm none is accepted', (value) =>
    /^none$/i.test(headOf(value)?.alg ?? ''),
  ),
  strict(
    'AU-BEARER-BAD',
    'an invalid token gets 500',
    (value) => value.startsWith('Bearer ') && claimsOf(value) === undefined,
    500,
  ),
  mutant(
    'AU-BEARER-BAD',
    'an expired token gets an HTML page',
    gatewayRequest(({ headers }) => {
      const value = headers.get('Authorization') ?? '';
      const isExpired = value.startsWith('Bearer ') && claimsOf(value)?.exp && !isLive(value);
      return isExpired ? toGatewayResponse(401, 'text/html', '<h1>expired</h1>') : undefined;
    }),
  ),
  lax('AU-SCHEME-UNKNOWN', 'Basic is accepted', (value) => value?.startsWith('Basic')),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a valid token is accepted with any scheme',
    (value, _, context) => value?.split(' ')[1] === tokenOf(context),
  ),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a valid token without a scheme is accepted',
    (value, _, context) => value === tokenOf(context),
  ),
  lax('AU-SCHEME-UNKNOWN', 'Digest is accepted', (value) => value?.startsWith('Digest')),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a scheme that begins with Bearer is accepted',
    (value = '', _, context) => /^Bearer\S/.test(value) && value.endsWith(tokenOf(context)),
  ),
  lax(
    'AU-SCHEME-UNKNOWN',
    'a valid token as the password of Basic is accepted',
    (value = '', _, context) =>
      Buffer.from(value.replace(/^Basic /, ''), 'base64')
        .toString()
        .includes(tokenOf(context)),
  ),
  mutant(
    'AU-SCHEME-UNKNOWN',
    'any scheme but Bearer and TC3 gets 500',
    gatewayRequest(({ headers }) =>
      /^(Bearer|TC3|$)/.test(headers.get('Authorization') ?? '')
        ? undefined
        : toRefusal(500, 'SYS_ERR'),
    ),
  ),
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
    'a credential is compared by its beginning',
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
