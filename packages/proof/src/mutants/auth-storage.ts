import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import type { MutatedRequest } from '../proxy/messages.ts';
import { eachOf, type Mutant, type MutantContext, type Rows } from './mutant.ts';
import { authenticateStorage } from './support/credentials.ts';
import { OPERATIONS, type Operation, refuse, request, retarget } from './support/storage.ts';

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

export const authStorage: Rows = {
  'AU-STORAGE-AUTHORIZATION': {
    'links can be requested with only a timestamp': [
      accept(
        'batchGetTempUrls',
        (get) => get(authorization) === undefined && get(timestamp) !== undefined,
      ),
      'AU-STORAGE-NONE',
    ],
    'the credential is rejected if its header name is in lower case': refuseSpelling(
      'batchDelete',
      authorization.toLowerCase(),
    ),
    'a timestamp alone is enough': acceptStorage(
      OPERATIONS,
      (headers) => !headers.get('X-Svc-Authorization') && headers.get('X-Svc-TimeStamp'),
    ),
  },
  'AU-STORAGE-SESSION-TOKEN': {
    'the session token is rejected if its header name is in lower case': refuseSpelling(
      'getUploadMetaData',
      sessionToken.toLowerCase(),
    ),
  },
  'AU-STORAGE-TIMESTAMP': {
    'the timestamp is rejected if its header name is in upper case': refuseSpelling(
      'batchCopyFile',
      timestamp.toUpperCase(),
    ),
  },
  'AU-STORAGE-NONE': {
    'links can be requested without any credentials': [
      accept('batchGetTempUrls', (get) =>
        Object.values(profile.storageHeaders).every((name) => get(name) === undefined),
      ),
      'AU-STORAGE-EACH-CALL',
    ],
    ...eachOf(OPERATIONS, (one) => [
      `${one} needs none`,
      acceptStorage([one], (headers) => CREDENTIALS.every((name) => !headers.get(name))),
    ]),
  },
  'AU-STORAGE-WRONG': {
    'a copy with an unknown key ID is accepted': accept('batchCopyFile', (get, { keyPair }) => {
      const [, id] = /Credential=([^/]*)/.exec(get(authorization) ?? '') ?? [];
      return id !== undefined && id !== keyPair.id;
    }),
    'an empty credential is accepted': accept('batchDelete', (get) => get(authorization) === ''),
    ...eachOf(OPERATIONS, (one) => [
      `${one} accepts any credential`,
      acceptStorage([one], (headers) => headers.get('X-Svc-Authorization')),
    ]),
    'only the beginning of a credential is compared': acceptStorage(
      OPERATIONS,
      (headers, { storageHeaders, keyPair }) => {
        const value = headers.get('X-Svc-Authorization');
        const { length } = storageHeaders()['X-Svc-Authorization'] ?? '';
        return value?.length === length && value.includes(keyPair.id);
      },
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
      retarget((target) => target.replace(/(?<=\/envs\/)[^/]*(?=\/storages:batchDelete$)/, env)),
    'an environment that merely starts with the right name is accepted': (context) =>
      retarget((target) =>
        target.replace(/(?<=\/envs\/)[^/]*/, (env) =>
          env.startsWith(context.env) ? context.env : env,
        ),
      ),
    ...eachOf(OPERATIONS, (one) => [
      `the environment of ${one} is not checked`,
      ({ env }) =>
        request(one, (call) => {
          call.target = toEnv(call.target, () => env);
        }),
    ]),
    'environments are compared by their beginning': (context) =>
      retarget((target) =>
        toEnv(target, (env) => (env.startsWith(context.env) ? context.env : env)),
      ),
  },
};
