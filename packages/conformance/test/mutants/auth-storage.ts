import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest } from '../proxy/messages.ts';
import type { Rows } from './mutant.ts';
import { onTrusted } from './support/connections.ts';
import { acceptStorage, authenticateStorage } from './support/credentials.ts';
import { replace } from './support/gateway.ts';
import { COPY, DELETE, GRANT, LINKS, type Operation, refuse, retarget } from './support/storage.ts';

const { authorization, timestamp, sessionToken } = profile.storageHeaders;

/** Rejects calls of an operation with a header in this spelling. */
const refuseSpelling = (operation: Operation, spelling: string) =>
  refuse(
    (call: MutatedRequest) =>
      call.operation === operation && call.headers.list.some(([name]) => name === spelling),
    401,
    'SIGN_PARAM_INVALID',
  );

const withoutAuthorization = (get: (name: string) => string | undefined) => !get(authorization);

export const authStorage: Rows = {
  'AU-STORAGE-HEADERS/1: the credential is rejected if its header name is in lower case':
    refuseSpelling(DELETE, authorization.toLowerCase()),
  'AU-STORAGE-HEADERS/2: the session token is rejected if its header name is in lower case':
    refuseSpelling(GRANT, sessionToken.toLowerCase()),
  'AU-STORAGE-HEADERS/3: the timestamp is rejected if its header name is in upper case':
    refuseSpelling(COPY, timestamp.toUpperCase()),
  'AU-STORAGE-REJECTED/1: links can be requested without any credentials': acceptStorage(
    (get) => Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
    [LINKS],
  ),
  'AU-STORAGE-REJECTED/1: a timestamp alone is accepted': acceptStorage(
    (get) => withoutAuthorization(get) && get(timestamp) && get(sessionToken) === undefined,
  ),
  'AU-STORAGE-REJECTED/2: an empty credential is accepted': acceptStorage(
    (get) => get(authorization) === '',
    [DELETE],
  ),
  'AU-STORAGE-REJECTED/2: only the beginning of a credential is compared': acceptStorage(
    (get, { storageHeaders, keyPair }) => {
      const value = get(authorization);
      const { length } = storageHeaders()[authorization] ?? '';
      return value?.length === length && value.includes(keyPair.id);
    },
  ),
  'AU-STORAGE-EACH-CALL: a call without credentials uses those of its connection': onTrusted(
    (request, context) => {
      if (request.operation && !request.headers.get(authorization))
        authenticateStorage(request, context);
    },
  ),
  'AU-STORAGE-EACH-CALL: the environment of the first call on a connection counts for later calls':
    onTrusted((request, { env }) => {
      if (request.operation) request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, env);
    }),
  'AU-STORAGE-ENV: the environment in a deletion is not checked': ({ env }) =>
    retarget(replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
  'AU-STORAGE-ENV: an environment that merely starts with the right name is accepted': (context) =>
    retarget(
      replace(/(?<=\/envs\/)[^/]*/, (env) => (env.startsWith(context.env) ? context.env : env)),
    ),
};
