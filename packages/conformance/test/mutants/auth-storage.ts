import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { accept, authenticate, onTrusted } from './hooks/credentials.ts';
import { retarget } from './hooks/gateway.ts';
import { COPY, DELETE, LINKS, type Operation, refuse } from './hooks/storage.ts';
import type { Rows } from './mutant.ts';

const { authorization, timestamp } = profile.storageHeaders;

/** Rejects calls of an operation with a header in this spelling. */
const refuseSpelling = (operation: Operation, spelling: string) =>
  refuse(
    (call) => call.operation === operation && call.headers.list.some(([name]) => name === spelling),
    401,
  );

export const authStorage: Rows = {
  'AU-STORAGE-HEADERS: the credential is lost in lower case': refuseSpelling(
    DELETE,
    authorization.toLowerCase(),
  ),
  'AU-STORAGE-HEADERS: the timestamp is lost in upper case': refuseSpelling(
    COPY,
    timestamp.toUpperCase(),
  ),
  'AU-STORAGE-REJECTED/1: links need no credentials': accept(
    (get, _, { operation }) =>
      operation === LINKS &&
      Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
  ),
  'AU-STORAGE-REJECTED/2: an empty credential is accepted': accept(
    (get, _, { operation }) => operation === DELETE && get(authorization) === '',
  ),
  'AU-STORAGE-REJECTED/2: only the beginning of a credential is compared': accept(
    (get, { storageHeaders, keyPair }) => {
      const value = get(authorization);
      const { length } = storageHeaders()[authorization] ?? '';
      return value?.length === length && value.includes(keyPair.id);
    },
  ),
  'AU-STORAGE-ENV: the environment in a deletion is not checked': ({ env }) =>
    retarget((target) => target.replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
  'AU-STORAGE-ENV: an environment may have a suffix': ({ env }) =>
    retarget((target) => target.replace(RegExp(`(?<=/envs/${env})[^/]*`), '')),
  'AU-STORAGE-EACH-CALL: credentials count for a connection': onTrusted((request, context) => {
    if (!request.headers.get(authorization)) authenticate(request, context);
  }),
  'AU-STORAGE-EACH-CALL: the environment counts for a connection': onTrusted((request, { env }) => {
    request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, env);
  }),
};
