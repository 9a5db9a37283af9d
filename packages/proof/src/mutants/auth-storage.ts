import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest } from '../proxy/messages.ts';
import { type Mutant, type MutantContext, mutant, mutantsOf } from './mutant.ts';
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

/** Rejects calls of an operation with a header in this spelling. */
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
    'links can be requested with only a timestamp',
    accept(
      'batchGetTempUrls',
      (get) => get(authorization) === undefined && get(timestamp) !== undefined,
    ),
    ['AU-STORAGE-NONE'],
  ),
  mutant(
    'AU-STORAGE-AUTHORIZATION',
    'the credential is rejected if its header name is in lower case',
    refuseSpelling('batchDelete', authorization.toLowerCase()),
  ),
  mutant(
    'AU-STORAGE-SESSION-TOKEN',
    'the session token is rejected if its header name is in lower case',
    refuseSpelling('getUploadMetaData', sessionToken.toLowerCase()),
  ),
  mutant(
    'AU-STORAGE-TIMESTAMP',
    'the timestamp is rejected if its header name is in upper case',
    refuseSpelling('batchCopyFile', timestamp.toUpperCase()),
  ),
  mutant(
    'AU-STORAGE-NONE',
    'links can be requested without any credentials',
    accept('batchGetTempUrls', (get) =>
      Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
    ),
    ['AU-STORAGE-EACH-CALL'],
  ),
  ...mutantsOf('AU-STORAGE-WRONG', {
    'a copy with an unknown key ID is accepted': accept('batchCopyFile', (get, { keyPair }) => {
      const [, id] = /Credential=([^/]*)/.exec(get(authorization) ?? '') ?? [];
      return id !== undefined && id !== keyPair.id;
    }),
    'an empty credential is accepted': accept('batchDelete', (get) => get(authorization) === ''),
  }),
  mutant(
    'AU-STORAGE-EACH-CALL',
    'a call without credentials uses those of its connection',
    (context) => {
      const trusted = new WeakSet<object>();
      return {
        request(call) {
          if (!call.operation) return;
          if (call.headers.get(authorization)) trusted.add(call.connection);
          else if (trusted.has(call.connection)) authenticateStorage(call, context);
        },
      };
    },
  ),
  ...mutantsOf('AU-STORAGE-ENV', {
    'the environment in a deletion is not checked': ({ env }) =>
      retarget((target) => target.replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
    'an environment that merely starts with the right name is accepted': (context) =>
      retarget((target) =>
        target.replace(/(?<=\/envs\/)[^/]*/, (env) =>
          env.startsWith(context.env) ? context.env : env,
        ),
      ),
  }),
];
