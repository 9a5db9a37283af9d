import { StorageError } from '../errors.ts';
import type { EnvOption } from '../gateway/host.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import type { Input, Output, operations } from '../generated/storage.v2/index.gen.ts';
import { routes } from '../generated/storage.v2/routes.gen.ts';
import type { Handlers, Router } from '../runtime/options.ts';
import type { Call, PrincipalsByScheme } from '../runtime/portable/call.ts';
import type { ParsedInput } from '../runtime/portable/parameters.ts';
import type { RouteTable } from '../runtime/portable/route-table.ts';
import {
  assertFunction,
  assertHandlerNames,
  assertLimit,
  findHandler,
} from '../runtime/portable/user-input.ts';
import { createTableRouter } from '../runtime/router.ts';
import { isRejection } from '../runtime/security.ts';
import { type ApiOptions, type AuthResult, createSurface } from '../surface.ts';
import {
  assertBatch,
  readCredentials,
  type StorageCredentials,
  toStorageResponse,
  toWireForm,
} from './wire.ts';

const STORAGE_ROUTES = routes.routes.filter(({ operationId }) => operationId !== 'uploadFile');
const STORAGE_IDS = STORAGE_ROUTES.map(({ operationId }) => operationId);

/** The storage API operations. The upload target has its own router. */
export type StorageOperationId = Exclude<keyof operations, 'uploadFile'>;

/** The validated fields of a storage request, even if they were sent inside `data`. */
export type StorageInput<Id extends StorageOperationId> = Input<Id>['body'];

/** The `data` of a storage response, which the router wraps in the envelope. */
type StorageData<Id extends StorageOperationId> = DataOf<Output<Id>>;

type DataOf<Response> = Response extends { status: 200; body: { body: { data?: infer Data } } }
  ? Exclude<Data, undefined>
  : never;

/** The context of a storage call. Reject credentials for any environment other than `env`, which is in the path. */
export type StorageCall<Caller = unknown> = Call<PrincipalsByScheme, Caller>;

/**
 * Storage API handlers by operationId. They return `data`, in which an invalid item has its own `code`, or throw a
 * `StorageError`. Operations without a handler respond with 501.
 */
export type StorageHandlers<Caller = unknown> = {
  readonly [Id in StorageOperationId]?: (
    input: StorageInput<Id>,
    call: StorageCall<Caller>,
  ) => StorageData<Id> | Promise<StorageData<Id>>;
};

/** The storage API's security handler. */
export interface StorageSecurity<Caller = unknown> {
  /**
   * Returns the caller that the credentials belong to, or `undefined` to reject them, or throws a `StorageError` with
   * the reason.
   */
  credentials(credentials: StorageCredentials, call: StorageCall): AuthResult<Caller>;
}

/** Options of `createStorageRouter`. */
export interface StorageRouterOptions<Caller = unknown> extends ApiOptions {
  readonly security: StorageSecurity<Caller>;
  /** Environments that this API serves. Default: all. */
  readonly env?: EnvOption;
  /** Maximum number of items in a batch. Default: the contract's limit. */
  readonly batchItems?: number;
}

/**
 * Creates the storage API: middleware for Express 4 and 5, and a `node:http` listener. Your handlers return `data`;
 * the router does the rest.
 *
 * @throws TypeError if a handler belongs to no operation, the security handler is missing, or an option is invalid
 *
 * @example
 * const batchDelete: StorageHandlers['batchDelete'] = async ({ fileList }, { env }) => ({
 *   fileList: await Promise.all(fileList.map((fileID) => remove(env, fileID))),
 * });
 * app.use(createStorageRouter({ batchDelete }, { security: createStorageSignature({ pairs }) }));
 */
export function createStorageRouter<Caller = unknown>(
  handlers: StorageHandlers<Caller>,
  options: StorageRouterOptions<Caller>,
): Router {
  assertFunction(options?.security?.credentials, 'options.security.credentials');
  assertHandlerNames(handlers, STORAGE_IDS);
  const { env, batchItems = LIMITS.batchItems } = options;
  assertLimit(batchItems, 'options.batchItems');
  // CORS, the request ID, and the contract's errors instead of those of the runtime.
  const { wireProfile, shared } = createSurface(
    'storage',
    options,
    { security: true, env: true, batchItems: true },
    LIMITS.storageBodyBytes,
  );

  // 1. The runtime finds the operation, and authenticates the caller before it reads the body.
  const findEnv = ({ pathValues }: Call) => pathValues.envId ?? '';
  const authenticate = async (_: string, call: Call) => {
    const credentials = readCredentials(call.request.headers, wireProfile);
    const caller = await options.security.credentials(credentials, call);
    // Others must not learn which environments exist.
    if (!isRejection(caller)) assertEnv(call.env, env);
    return caller;
  };

  // 2. It takes the fields out of `data` (D21), validates them, and calls the handler.
  const toHandler = (id: string) => {
    const handler = findHandler(handlers as Handlers, id);
    if (handler === undefined) return undefined;
    return async ({ body }: ParsedInput, call: StorageCall<Caller>) => {
      assertBatch(body, batchItems);
      return toStorageResponse(await handler(body, call), call.requestId);
    };
  };
  const operations = STORAGE_IDS.map((id) => [id, toHandler(id)]);

  // 3. It checks the response, if it should, and sends it in the deployment's wire form.
  const encodeBody = (body: unknown) => toWireForm(body, wireProfile);

  // The handler of the first header also checks the other two.
  const security = { authorization: authenticate };
  const name = wireProfile.storageHeaders.authorization;
  const table: RouteTable = {
    ...routes,
    securitySchemes: { authorization: { type: 'apiKey', in: 'header', name } },
    routes: STORAGE_ROUTES.map((route) => ({ ...route, security: [['authorization']] })),
  };
  const settings = { ...shared, findEnv, security, encodeBody };
  return createTableRouter(table, Object.fromEntries(operations), settings);
}

/** The name of the environment is in the path of a storage call. */
function assertEnv(name: string, env: EnvOption | undefined): void {
  if (env === undefined || (typeof env === 'string' ? env === name : env(name) === true)) return;
  throw new StorageError('INVALID_ENV', { message: `Environment ${name} does not exist.` });
}
