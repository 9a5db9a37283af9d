import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest } from '../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant } from './mutant.ts';
import { authenticateStorage } from './support/credentials.ts';
import { type Operation, refuse, request, retarget } from './support/storage.ts';

const { authorization, timestamp, sessionToken } = profile.storageHeaders;

/** Accepts calls of an operation by their headers. */
const accept =
  (
    operation: Operation,
    isAccepted: (get: (name: string) => string | undefined, context: MutantContext) => unknown,
  ): Mutant['create'] =>
  (context) =>
    request(operation, (call) => {
      if (isAccepted((name) => call.headers.get(name), context)) authenticateStorage(call, context);
    });

/** Refuses calls of an operation with a header that is spelled like this. */
const refuseSpelling = (operation: Operation, spelling: string) =>
  refuse(
    (call: MutatedRequest) =>
      call.operation === operation && call.headers.list.some(([name]) => name === spelling),
    401,
    'SIGN_PARAM_INVALID',
  );

export const authStorage: readonly Mutant[] = [
  mutant(
    'AU-STORAGE-AUTHORIZATION',
    'links need no credential beside a time',
    accept(
      'batchGetTempUrls',
      (get) => get(authorization) === undefined && get(timestamp) !== undefined,
    ),
  ),
  mutant(
    'AU-STORAGE-AUTHORIZATION',
    'the credential is refused under a name in small letters',
    refuseSpelling('batchDelete', authorization.toLowerCase()),
  ),
  mutant(
    'AU-STORAGE-SESSION-TOKEN',
    'the session token is refused under a name in small letters',
    refuseSpelling('getUploadMetaData', sessionToken.toLowerCase()),
  ),
  mutant(
    'AU-STORAGE-TIMESTAMP',
    'the time is refused under a name in capitals',
    refuseSpelling('batchCopyFile', timestamp.toUpperCase()),
  ),
  mutant(
    'AU-STORAGE-NONE',
    'links need no credentials at all',
    accept('batchGetTempUrls', (get) =>
      Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
    ),
  ),
  mutant(
    'AU-STORAGE-WRONG',
    'an unknown id of a copy is let in',
    accept('batchCopyFile', (get, { keyPair }) => {
      const [, id] = /Credential=([^/]*)/.exec(get(authorization) ?? '') ?? [];
      return id !== undefined && id !== keyPair.id;
    }),
  ),
  mutant(
    'AU-STORAGE-WRONG',
    'an empty credential is let in',
    accept('batchDelete', (get) => get(authorization) === ''),
  ),
  mutant('AU-STORAGE-ENV', 'the environment of a deletion is not looked at', ({ env }) =>
    retarget((target) => target.replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
  ),
  mutant('AU-STORAGE-ENV', 'of the environment only the beginning is compared', (context) =>
    retarget((target) =>
      target.replace(/(?<=\/envs\/)[^/]*/, (env) =>
        env.startsWith(context.env) ? context.env : env,
      ),
    ),
  ),
];
