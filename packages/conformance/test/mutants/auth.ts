import type { MutantContext, Rows } from './mutant.ts';
import { onTrusted } from './support/connections.ts';
import {
  accept,
  authenticate,
  claimsOf,
  headOf,
  reject,
  rejectSigned,
} from './support/credentials.ts';
import { callAgain, gatewayRequest } from './support/gateway.ts';

/** Accepts requests by any of their headers. */
const acceptWith = (
  isAccepted: (get: (name: string) => string | undefined, context: MutantContext) => unknown,
) => accept((_, { headers }, context) => isAccepted((name) => headers.get(name), context));

export const auth: Rows = {
  'AU-BEARER: only signatures are accepted': reject((value) => value.startsWith('Bearer ')),
  'AU-BEARER-ENV: a token from another environment is accepted on GET': accept(
    (value, { method }, { otherAuthorization }) => method === 'GET' && value === otherAuthorization,
  ),
  'AU-BEARER-ENV: a token from another environment is accepted with an X-Forwarded-Host':
    acceptWith(
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
  'AU-NONE: a call that seems to come from this machine is accepted': acceptWith(
    (get) =>
      !get('Authorization') &&
      /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
  ),
  'AU-REJECTED/1: a token with the algorithm none is accepted': accept(
    (value = '') => /^Bearer [\w-]+\.[\w-]+\.$/.test(value) && headOf(value)?.alg === 'none',
  ),
  'AU-REJECTED/1: an expired token is accepted': accept(
    (value) => (claimsOf(value)?.exp ?? Number.NaN) * 1000 < Date.now(),
  ),
  'AU-EACH-CALL: a call without credentials uses those of its connection': onTrusted(
    (request, context) => {
      if (request.isGateway && !request.headers.get('Authorization'))
        authenticate(request, context);
    },
  ),
  'AU-EACH-CALL: a token from another environment is accepted after a valid one on the same connection':
    onTrusted((request, context) => {
      const isOther = request.headers.get('Authorization') === context.otherAuthorization;
      if (request.isGateway && isOther) authenticate(request, context);
    }),
  'AU-REJECTED/2: a valid token is accepted with any scheme': accept(
    (value, _, { authorization }) => value?.endsWith(` ${authorization.split(' ').at(-1)}`),
  ),
  'AU-REJECTED/2: the token is accepted in Proxy-Authorization': acceptWith(
    (get, context) => !get('Authorization') && get('Proxy-Authorization') === context.authorization,
  ),
};
