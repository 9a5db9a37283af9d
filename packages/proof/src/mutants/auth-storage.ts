import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest } from '../proxy/messages.ts';
import { eachOf, type Rows } from './mutant.ts';
import { acceptStorage, authenticateStorage } from './support/credentials.ts';
import { replace } from './support/gateway.ts';
import {
  COPY,
  DELETE,
  GRANT,
  LINKS,
  OPERATIONS,
  type Operation,
  refuse,
  request,
  retarget,
} from './support/storage.ts';

const { authorization, timestamp, sessionToken } = profile.storageHeaders;

/** Rejects calls of an operation with a header in this spelling. */
const refuseSpelling = (operation: Operation, spelling: string) =>
  refuse(
    (call: MutatedRequest) =>
      call.operation === operation && call.headers.list.some(([name]) => name === spelling),
    401,
    'SIGN_PARAM_INVALID',
  );
const toEnv = (target: string, rewrite: (env: string) => string) =>
  target.replace(/(?<=\/envs\/)[^/]+/, rewrite);

const withoutAuthorization = (get: (name: string) => string | undefined) => !get(authorization);
const hasNone = (get: (name: string) => string | undefined) =>
  Object.values(profile.storageHeaders).every((name) => !get(name));

export const authStorage: Rows = {
  'AU-STORAGE-AUTHORIZATION': {
    'links can be requested with only a timestamp': [
      acceptStorage(
        (get) => get(authorization) === undefined && get(timestamp) !== undefined,
        [LINKS],
      ),
      'AU-STORAGE-NONE',
    ],
    'the credential is rejected if its header name is in lower case': refuseSpelling(
      DELETE,
      authorization.toLowerCase(),
    ),
  },
  'AU-STORAGE-SESSION-TOKEN': {
    'the session token is rejected if its header name is in lower case': refuseSpelling(
      GRANT,
      sessionToken.toLowerCase(),
    ),
  },
  'AU-STORAGE-TIMESTAMP': {
    'the timestamp is rejected if its header name is in upper case': refuseSpelling(
      COPY,
      timestamp.toUpperCase(),
    ),
  },
  'AU-STORAGE-NONE': {
    'links can be requested without any credentials': [
      acceptStorage(
        (get) => Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
        [LINKS],
      ),
      'AU-STORAGE-EACH-CALL',
    ],
    ...eachOf(OPERATIONS, (one) => [`${one} needs none`, acceptStorage(hasNone, [one])]),
    'a session token alone is accepted': acceptStorage(
      (get) => withoutAuthorization(get) && get(sessionToken) && !get(timestamp),
    ),
    'a timestamp alone is accepted': acceptStorage(
      (get) => withoutAuthorization(get) && get(timestamp) && get(sessionToken) === undefined,
    ),
    'a session token with a timestamp is accepted': acceptStorage(
      (get) => withoutAuthorization(get) && get(sessionToken) && get(timestamp),
    ),
    'a token of the gateway in Authorization is accepted': acceptStorage(
      (get, { authorization }) =>
        withoutAuthorization(get) && get('Authorization') === authorization,
    ),
    'the authorization is accepted in the Authorization header': acceptStorage(
      (get) => withoutAuthorization(get) && /TC3-HMAC-SHA256/.test(get('Authorization') ?? ''),
    ),
    'a call that seems to come from this machine is accepted': acceptStorage(
      (get) =>
        withoutAuthorization(get) &&
        /127\.0\.0\.1|localhost/.test(`${get('X-Forwarded-For')} ${get('X-Real-IP')}`),
    ),
    'a call with the name of a user is accepted': acceptStorage(
      (get) => withoutAuthorization(get) && (get('X-Forwarded-User') || get('X-Remote-User')),
    ),
  },
  'AU-STORAGE-WRONG': {
    'a copy with an unknown key ID is accepted': acceptStorage(
      (get, { keyPair }) => {
        const [, id] = /Credential=([^/]*)/.exec(get(authorization) ?? '') ?? [];
        return id !== undefined && id !== keyPair.id;
      },
      [COPY],
    ),
    'an empty credential is accepted': acceptStorage((get) => get(authorization) === '', [DELETE]),
    ...eachOf(OPERATIONS, (one) => [
      `${one} accepts any credential`,
      acceptStorage((get) => get(authorization), [one]),
    ]),
    'only the beginning of a credential is compared': acceptStorage(
      (get, { storageHeaders, keyPair }) => {
        const value = get(authorization);
        const { length } = storageHeaders()[authorization] ?? '';
        return value?.length === length && value.includes(keyPair.id);
      },
    ),
    'any authorization is accepted with a session token': acceptStorage(
      (get) => get(authorization) && get(sessionToken),
    ),
    'any authorization is accepted without a timestamp': acceptStorage(
      (get) => get(authorization) && get(timestamp) === undefined,
    ),
    'any authorization is accepted if the caller seems to be this machine': acceptStorage((get) =>
      /127\.0\.0\.1/.test(get('X-Forwarded-For') ?? ''),
    ),
  },
  'AU-STORAGE-EACH-CALL': {
    'a call without credentials uses those of its connection': (context) => {
      const trusted = new WeakSet<object>();
      return {
        request(call) {
          if (!call.operation) return;
          if (call.headers.get(authorization)) trusted.add(call.connection);
          else if (trusted.has(call.connection)) authenticateStorage(call, context);
        },
      };
    },
  },
  'AU-STORAGE-ENV': {
    'the environment in a deletion is not checked': ({ env }) =>
      retarget(replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
    'an environment that merely starts with the right name is accepted': (context) =>
      retarget(
        replace(/(?<=\/envs\/)[^/]*/, (env) => (env.startsWith(context.env) ? context.env : env)),
      ),
    ...eachOf(OPERATIONS, (one) => [
      `the environment of ${one} is not checked`,
      ({ env }) =>
        request(one, (call) => {
          call.target = toEnv(call.target, () => env);
        }),
    ]),
  },
};
