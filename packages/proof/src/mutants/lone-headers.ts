import type { MutatedRequest } from '../proxy/messages.ts';
import type { Mutant, MutantContext, Rows } from './mutant.ts';
import { authenticate, authenticateStorage } from './support/credentials.ts';
import { gatewayRequest } from './support/gateway.ts';

type Get = (name: string) => string | undefined;
const AUTHORIZATION = 'X-Svc-Authorization';

const SESSION = 'X-Svc-SessionToken';
const TIMESTAMP = 'X-Svc-TimeStamp';

/** Accepts storage calls by their headers. */
const storage =
  (isAccepted: (get: Get, context: MutantContext) => unknown): Mutant['create'] =>
  (context) => ({
    request(call: MutatedRequest) {
      if (call.operation && isAccepted((name) => call.headers.get(name), context))
        authenticateStorage(call, context);
    },
  });

/** Accepts gateway calls without an `Authorization` that the server accepts, by other headers. */
const gateway =
  (isAccepted: (get: Get, context: MutantContext) => unknown): Mutant['create'] =>
  (context) =>
    gatewayRequest((call) => {
      const get = (name: string) => call.headers.get(name);
      if (isAccepted(get, context)) authenticate(call, context);
    });
const without = (get: Get) => !get(AUTHORIZATION);

const tokenOf = ({ authorization }: MutantContext) => authorization.replace('Bearer ', '');

export const loneHeaders: Rows = {
  'AU-STORAGE-NONE': {
    'a session token alone is accepted': storage(
      (get) => without(get) && get(SESSION) && !get(TIMESTAMP),
    ),
    'a timestamp alone is accepted': storage(
      (get) => without(get) && get(TIMESTAMP) && get(SESSION) === undefined,
    ),
    'a session token with a timestamp is accepted': storage(
      (get) => without(get) && get(SESSION) && get(TIMESTAMP),
    ),
    'a token of the gateway in Authorization is accepted': storage(
      (get, { authorization }) => without(get) && get('Authorization') === authorization,
    ),
    'the authorization is accepted in the Authorization header': storage(
      (get) => without(get) && /TC3-HMAC-SHA256/.test(get('Authorization') ?? ''),
    ),
    'a call that seems to come from this machine is accepted': storage(
      (get) =>
        without(get) &&
        /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
    ),
    'a call with the name of a user is accepted': storage(
      (get) => without(get) && (get('X-Forwarded-User') || get('X-Remote-User')),
    ),
  },
  'AU-STORAGE-WRONG': {
    'any authorization is accepted with a session token': storage(
      (get) => get(AUTHORIZATION) && get(SESSION),
    ),
    'any authorization is accepted without a timestamp': storage(
      (get) => get(AUTHORIZATION) && get(TIMESTAMP) === undefined,
    ),
    'any authorization is accepted if the caller seems to be this machine': storage((get) =>
      /127\.0\.0\.1/.test(get('X-Forwarded-For') ?? ''),
    ),
  },
  'AU-NONE': {
    'a call that seems to come from this machine is accepted': gateway(
      (get) =>
        !get('Authorization') &&
        /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
    ),
    'a call with the name of a user is accepted': gateway(
      (get) => !get('Authorization') && (get('X-Forwarded-User') || get('X-Remote-User')),
    ),
    'a call with a marker of internal calls is accepted': gateway(
      (get) => !get('Authorization') && /^(1|true)$/.test(get('X-Internal') ?? ''),
    ),
  },
  'AU-SCHEME-UNKNOWN': {
    'the token is accepted in Proxy-Authorization': gateway(
      (get, context) =>
        !get('Authorization') && get('Proxy-Authorization') === context.authorization,
    ),
    'the token is accepted in X-Svc-SessionToken': gateway(
      (get, context) => !get('Authorization') && get(SESSION) === tokenOf(context),
    ),
    'credentials of the storage API are accepted': gateway(
      (get) => !get('Authorization') && /^1\.0 TC3/.test(get(AUTHORIZATION) ?? ''),
    ),
    'the authorization of the storage API is accepted in Authorization': gateway((get) =>
      /^1\.0 TC3/.test(get('Authorization') ?? ''),
    ),
    'any X-Api-Key is accepted': gateway((get) => !get('Authorization') && get('X-Api-Key')),
  },
  'AU-BEARER-ENV': {
    'a token from another environment is accepted with an X-Forwarded-Host': gateway(
      (get, { otherAuthorization }) =>
        get('Authorization') === otherAuthorization && get('X-Forwarded-Host'),
    ),
  },
};
