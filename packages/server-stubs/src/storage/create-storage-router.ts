import { toWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { StorageError, toContractError } from '../errors.ts';
import { LIMITS } from '../generated/contract.gen.ts';
import type { Handlers } from '../generated/storage.v2/index.gen.ts';
import { routes as standard } from '../generated/storage.v2/routes.gen.ts';
import { createCors } from '../http/cors.ts';
import {
  type BerthRouterOptions,
  type EnvOption,
  toHandlers,
  toRouterOptions,
  UPLOAD_OPERATION,
} from '../http/router-options.ts';
import {
  type Call,
  createRouter,
  type Input,
  type Router,
  type RouteTable,
  type SecurityHandler,
} from '../runtime/index.ts';
import {
  assertBatch,
  missingCredentials,
  readCredentials,
  type StorageCredentials,
  toStorageResponse,
} from './storage-call.ts';
import { toWireForm } from './wire-form.ts';

export type { StorageCredentials } from './storage-call.ts';

/** The storage API operations. The upload target has its own router. */
export type StorageOperationId = Exclude<keyof Handlers, 'uploadFile'>;

type Generated<Id extends StorageOperationId> = NonNullable<Handlers[Id]>;

/**
 * The validated fields of a storage request. They are at the top level, even if they were sent inside `data`
 * (D21).
 */
export type StorageInput<Id extends StorageOperationId> = Parameters<Generated<Id>>[0]['body'];

/** The `data` of a storage response, which the router wraps in the envelope (D20). */
export type StorageData<Id extends StorageOperationId> = DataOf<Awaited<ReturnType<Generated<Id>>>>;

type DataOf<Output> = Output extends { status: 200; body: { body: { data?: infer Data } } }
  ? Exclude<Data, undefined>
  : never;

/** The context of a storage call. */
export interface StorageCall<Caller = unknown> extends Call<{ readonly credentials: Caller }> {
  /** Environment in the path. */
  readonly envId: string;
  /** The authenticated caller, as the security handler returned it. */
  readonly caller: Caller;
}

/**
 * Handles a storage operation: receives the fields and returns `data`. Return an invalid item in a list with
 * its own `code`. To reject the call, throw a `StorageError`.
 */
export type StorageHandler<Id extends StorageOperationId, Caller = unknown> = (
  input: StorageInput<Id>,
  call: StorageCall<Caller>,
) => StorageData<Id> | Promise<StorageData<Id>>;

/** Storage API handlers by operationId. Operations without a handler respond with 501. */
export type StorageHandlers<Caller = unknown> = {
  readonly [Id in StorageOperationId]?: StorageHandler<Id, Caller>;
};

export interface StorageRouterOptions<Caller = unknown> extends BerthRouterOptions {
  /** Authenticates callers, with one handler for the three headers, which belong together. */
  readonly security: StorageSecurity<Caller>;
  /** Environments that this API serves. Calls to any other get `INVALID_ENV`. Default: all. */
  readonly env?: EnvOption;
  /** Maximum number of items in a batch. Calls with more are rejected. Default: the contract's limit (D25). */
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
  const { security, env, cors: origins, requests } = options;
  const wireProfile = toWireProfile(options.wireProfile);
  const { batchItems = LIMITS.batchItems, routes = standard } = options;
  const cors = createCors('storage', wireProfile, origins);
  const table = toStorageTable(routes, wireProfile);
  const { authorization } = wireProfile.storageHeaders;
  type AnyHandler = (input: unknown, call: StorageCall) => unknown;
  const toHandler = (handler: AnyHandler) => async (input: Input, call: Call) => {
    const known = call as unknown as StorageCall & { caller: unknown };
    // Act on the same environment that the security handler got.
    assertEnv(known.envId, env);
    assertBatch(input.body, batchItems);
    known.caller = call.security[CREDENTIALS];
    const data = await handler(input.body, known);
    return toStorageResponse(data, call.requestId);
  };
  return createRouter(table, toHandlers(handlers as Record<string, AnyHandler>, toHandler), {
    ...toRouterOptions(options, cors, (error, { request }) => {
      const isNaked = request.headers[authorization.toLowerCase()] === undefined;
      if (error.kind !== 'unauthorized' || !isNaked) return toContractError('storage', error);
      return missingCredentials(authorization);
    }),
    encodeBody: (body) => toWireForm(body, wireProfile),
    security: { [CREDENTIALS]: toStorageSecurity(security, wireProfile, envIdOf(table)) },
    requests: { bodyBytes: LIMITS.storageBodyBytes, ...requests },
  });
}

/** A storage call that has not been authenticated yet. */
export interface StorageLogin extends Call {
  /** Environment in the path. Reject credentials for any other (D30). */
  readonly envId: string;
}

/** The storage API's security handler. */
export interface StorageSecurity<Caller = unknown> {
  /**
   * Returns the caller that the credentials belong to. Return `undefined`, `null` or `false` to reject
   * them, or throw a `StorageError` to give a reason, such as a wrong clock (D18).
   */
  credentials(
    credentials: StorageCredentials,
    call: StorageLogin,
  ): Caller | undefined | null | false | Promise<Caller | undefined | null | false>;
}

function toStorageSecurity(
  security: StorageSecurity,
  profile: WireProfile,
  envIdOf: (rawPath: string) => string,
): SecurityHandler {
  return (_, call) => {
    const credentials = readCredentials(call.request.headers, profile);
    const login = call as StorageLogin & { envId: string };
    login.envId = envIdOf(call.rawPath);
    return security.credentials(credentials, login);
  };
}

/**
 * The environment is the same segment in every operation. Any segment may be percent-encoded, so characters
 * are not counted.
 */
function envIdOf({ routes }: RouteTable): (rawPath: string) => string {
  const at = routes[0]?.path.split('/').indexOf('{envId}') ?? 0;
  return (rawPath) => {
    let start = 0;
    for (let count = 0; count < at; count += 1) start = rawPath.indexOf('/', start) + 1;
    const end = rawPath.indexOf('/', start);
    const envId = rawPath.slice(start, end < 0 ? undefined : end);
    return envId.includes('%') ? decodeURIComponent(envId) : envId;
  };
}

const CREDENTIALS = 'credentials';

function assertEnv(envId: string, env: EnvOption | undefined): void {
  if (env === undefined || (typeof env === 'string' ? env === envId : env(envId))) return;
  throw new StorageError('INVALID_ENV', { message: `Environment ${envId} does not exist.` });
}

/**
 * Returns the storage API's routes with the names of a wire profile (D1), and with a single security
 * scheme for the three headers, which can only be checked together.
 */
function toStorageTable(table: RouteTable, profile: WireProfile): RouteTable {
  return {
    ...table,
    securitySchemes: {
      [CREDENTIALS]: { type: 'apiKey', in: 'header', name: profile.storageHeaders.authorization },
    },
    routes: table.routes
      .filter(({ operationId }) => operationId !== UPLOAD_OPERATION)
      .map((route) => ({ ...route, security: [[CREDENTIALS]] })),
  };
}
