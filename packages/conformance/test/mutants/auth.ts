import { accept, authenticate, onTrusted, rejectSigned } from './hooks/credentials.ts';
import { callAgain, gatewayRequest } from './hooks/gateway.ts';
import type { Rows } from './mutant.ts';

export const auth: Rows = {
  'AU-BEARER: the header authorization is not found in lower case': gatewayRequest(
    ({ headers }) => {
      headers.list = headers.list.filter(([name]) => name !== 'authorization');
    },
  ),
  'AU-BEARER-ENV: a token from another environment is accepted on GET': accept(
    (get, { otherAuthorization }, { method }) =>
      method === 'GET' && get('Authorization') === otherAuthorization,
  ),
  'AU-BEARER-ENV: a token from another environment is accepted with an X-Forwarded-Host': accept(
    (get, { otherAuthorization }) =>
      get('Authorization') === otherAuthorization && get('X-Forwarded-Host'),
  ),
  'AU-SIGNATURE: only tokens are accepted on POST': rejectSigned(({ method }) => method === 'POST'),
  'AU-NONE: a POST without credentials is rejected only after the service has been called': (
    context,
  ) =>
    gatewayRequest(async (request) => {
      const { method, headers } = request;
      if (method !== 'POST' || headers.get('Authorization') !== undefined) return;
      await callAgain(context, request, { Authorization: context.authorization });
    }),
  'AU-NONE: a call that seems to come from this machine is accepted': accept(
    (get) =>
      !get('Authorization') &&
      /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
  ),
  'AU-REJECTED/1: a token without a signature is accepted, as with the algorithm none': accept(
    (get) => /^Bearer [\w-]+\.[\w-]+\.$/.test(get('Authorization') ?? ''),
  ),
  'AU-REJECTED/1: an expired token is accepted': accept(
    (get, { expiredAuthorization }) => get('Authorization') === expiredAuthorization,
  ),
  'AU-REJECTED/2: a valid token is accepted with any scheme': accept((get, { authorization }) =>
    get('Authorization')?.endsWith(authorization.replace('Bearer', '')),
  ),
  'AU-EACH-CALL: a call without credentials uses those of its connection': onTrusted(
    (request, context) => {
      if (!request.headers.get('Authorization')) authenticate(request, context);
    },
  ),
  'AU-EACH-CALL: a token from another environment is accepted after a valid one on the same connection':
    onTrusted((request, context) => {
      const value = request.headers.get('Authorization');
      if (value === context.otherAuthorization) authenticate(request, context);
    }),
};
