import { StorageError } from '../errors/storage-error.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors } from '../http/cors.ts';
import { toHandlers } from '../http/to-handlers.ts';
import { toPreflight } from '../http/to-preflight.ts';
import type { BerthRouterOptions, EnvOption } from '../router-options.ts';
import { createRouter, type Router, toAnswer } from '../runtime/index.ts';
import { defaultWireProfile } from '../wire-profile.ts';
import { envIdOf } from './env-id-of.ts';
import type { StorageHandlers } from './storage-handlers.ts';
import { type StorageSecurity, toStorageSecurity } from './storage-security.ts';
import { toStorageFault } from './to-storage-fault.ts';
import { toStorageHandler } from './to-storage-handler.ts';
import { CREDENTIALS, toStorageTable } from './to-storage-table.ts';

export interface StorageRouterOptions<Caller = unknown> extends BerthRouterOptions {
  /** Lets callers in: one handler for the three headers, which are worth nothing apart. */
  readonly security: StorageSecurity<Caller>;
  /** Environments that this API serves; any other is `INVALID_ENV`. Default: every one. */
  readonly env?: EnvOption;
  /** Most items in one batch; more refuse the whole call. Default 50 (D25). */
  readonly batchItems?: number;
}

/**
 * Makes the storage API: middleware for Express 4 and 5, and a listener of `node:http`. Handlers get
 * the validated fields and return `data`; envelope, credentials, limits, CORS and errors are done here.
 *
 * @throws TypeError for options that contradict each other
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
        ...cors.answer(request.headers.origin),
        'x-request-id': requestId,
      }),
      toAnswer(fault, call) {
        const preflight = toPreflight(fault, call, cors);
        if (preflight !== undefined) return preflight;
        const isNaked = call.request.headers[authorization.toLowerCase()] === undefined;
        const error =
          fault.kind === 'unauthorized' && isNaked
            ? new StorageError('SIGN_PARAM_INVALID', {
                message: `The header ${authorization} is missing.`,
              })
            : toStorageFault(fault);
        return error[toAnswer](call);
      },
    },
  );
}
