import { accept, authenticate, isSigned, onTrusted, rejectSigned } from './hooks/credentials.ts';
import { callAgain, gatewayRequest, toRefusal } from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

export const auth: Rows = {
  'AU-BEARER: authorization in lower case is lost': gatewayRequest(({ headers }) => {
    headers.list = headers.list.filter(([name]) => name !== 'authorization');
  }),
  'AU-BEARER: a handshake with a token is rejected': gatewayRequest(({ isHandshake, headers }) =>
    isHandshake && headers.get('Authorization')?.startsWith('Bearer ')
      ? toRefusal(401, 'SIGNATURE_REQUIRED')
      : undefined,
  ),
  'AU-BEARER-ENV: a GET may have the token of another': accept(
    (get, { otherAuthorization }, { method }) =>
      method === 'GET' && get('Authorization') === otherAuthorization,
  ),
  'AU-BEARER-ENV: X-Forwarded-Host selects its environment': accept(
    (get, { otherAuthorization }) =>
      get('Authorization') === otherAuthorization && get('X-Forwarded-Host'),
  ),
  'AU-SIGNATURE: only tokens are accepted on POST': rejectSigned(({ method }) => method === 'POST'),
  'AU-SIGNATURE: a handshake is verified as a GET of the root': rejectSigned(
    (request, _, context) => request.isHandshake && !isSigned(request, context, { path: '/' }),
  ),
  'AU-SIGNATURE: a handshake is rejected with 412': rejectSigned(
    ({ isHandshake }) => isHandshake,
    412,
  ),
  'AU-NONE: a POST reaches the service before it is rejected': (context) =>
    gatewayRequest(async (request) => {
      const { method, headers } = request;
      if (method !== 'POST' || headers.get('Authorization') !== undefined) return;
      await callAgain(context, request, { Authorization: context.authorization });
    }),
  'AU-NONE: calls of this machine are accepted': accept(
    (get) =>
      !get('Authorization') &&
      /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
  ),
  'AU-REJECTED/1: the algorithm none is accepted': accept((get) =>
    /^Bearer [\w-]+\.[\w-]+\.$/.test(get('Authorization') ?? ''),
  ),
  'AU-REJECTED/1: an expired token is accepted': accept(
    (get, { expiredAuthorization }) => get('Authorization') === expiredAuthorization,
  ),
  'AU-REJECTED/2: a valid token is accepted with any scheme': accept((get, { authorization }) =>
    get('Authorization')?.endsWith(authorization.replace('Bearer', '')),
  ),
  'AU-EACH-CALL: credentials count for a connection': onTrusted((request, context) => {
    if (!request.headers.get('Authorization')) authenticate(request, context);
  }),
  'AU-EACH-CALL: a connection accepts the token of another': onTrusted((request, context) => {
    const value = request.headers.get('Authorization');
    if (value === context.otherAuthorization) authenticate(request, context);
  }),
};
