import { StorageError, type StorageErrorCode } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors, toPreflight } from '../http/cors.ts';
import { type BerthRouterOptions, type EnvOption, toHandlers } from '../http/router-options.ts';
import { defaultWireProfile } from '../http/wire-profile.ts';
import {
  createRouter,
  type Fault,
  type FaultKind,
  type Router,
  toResponse,
} from '../runtime/index.ts';
import type { StorageHandlers } from './storage-handlers.ts';
import { envIdOf, type StorageSecurity, toStorageSecurity } from './storage-security.ts';
import { CREDENTIALS, toStorageHandler, toStorageTable } from './to-storage-handler.ts';

const CODES: Readonly<Record<FaultKind, StorageErrorCode>> = {
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'METHOD_NOT_ALLOWED',
  'bad-path': 'INVALID_PARAM',
  'invalid-request': 'INVALID_PARAM',
  'malformed-body': 'INVALID_PARAM',
  'unsupported-media-type': 'UNSUPPORTED_MEDIA_TYPE',
  'too-large': 'EXCEED_MAX_PAYLOAD_SIZE',
  unauthorized: 'SIGN_PARAM_INVALID',
  'not-implemented': 'SYS_ERR',
  'invalid-response': 'SYS_ERR',
  'handler-failed': 'SYS_ERR',
};

export interface StorageRouterOptions<Caller = unknown> extends BerthRouterOptions {
  /** Authenticates callers, with one handler for the three headers, which belong together. */
  readonly security: StorageSecurity<Caller>;
  /** Environments that this API serves. Calls to any other get `INVALID_ENV`. Default: all. */
  readonly env?: EnvOption;
  /** Maximum number of items in a batch. Calls with more are rejected. Default: 50 (D25). */
  readonly batchItems?: number;
}

/**
 * Creates the storage API: middleware for Express 4 and 5, and a `node:http` listener. Your handlers get
 * the validated fields and return `data`; the router takes care of the envelope, credentials, limits,
 * CORS and errors.
 *
 * @throws TypeError if options contradict each other
 *
 * @example
 * const router = createStorageRouter(
 *   {
 *     batchDelete: async ({ fileList }, { envId }) => ({
 *       fileList: await Promise.all(fileList.map((fileID) => remove(envId, fileID))),
 *     }),
 *   },
 *   { security: { credentials: ({ authorization, timestamp }) => findCaller(authorization, timestamp) } },
 * );
 * app.use(router);
 */
export function createStorageRouter<Caller = unknown>(
  handlers: StorageHandlers<Caller>,
  options: StorageRouterOptions<Caller>,
): Router {
  const { security, env, cors: origins, wireProfile = defaultWireProfile, requests } = options;
  const { batchItems = LIMITS.batchItems, routes = standard } = options;
  const cors = createCors('storage', wireProfile, origins);
  const table = toStorageTable(routes, wireProfile);
  const { authorization } = wireProfile.storageHeaders;
  return createRouter(
    table,
    toHandlers(handlers as Record<string, never>, (handler) =>
      toStorageHandler(handler, { env, batchItems, storeFileID: wireProfile.storeFileID }),
    ),
    {
      ...options,
      security: { [CREDENTIALS]: toStorageSecurity(security, wireProfile, envIdOf(table)) },
      requests: { bodyBytes: LIMITS.storageBodyBytes, ...requests },
      headers: ({ request, requestId }) => ({
        ...cors.response(request.headers.origin),
        'x-request-id': requestId,
      }),
      toResponse(fault, call) {
        const preflight = toPreflight(fault, call, cors);
        if (preflight !== undefined) return preflight;
        const isNaked = call.request.headers[authorization.toLowerCase()] === undefined;
        const error =
          fault.kind === 'unauthorized' && isNaked
            ? new StorageError('SIGN_PARAM_INVALID', {
                message: `The ${authorization} header is missing.`,
              })
            : toStorageFault(fault);
        return error[toResponse](call);
      },
    },
  );
}

/** Converts a runtime fault to a storage API error (D26). */
function toStorageFault({ kind, status, message, cause }: Fault): StorageError {
  // Only a body is a payload. If the path or headers are too long, a parameter is invalid.
  const code = kind === 'too-large' && status !== 413 ? 'INVALID_PARAM' : CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new StorageError(code, { cause });
  }
  return new StorageError(code, { message, status, cause });
}
