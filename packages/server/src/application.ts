import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createGatewayRouter,
  createStorageRouter,
  createUploadRouter,
  GatewayError,
  type GatewaySecurity,
  StorageError,
  type StorageSecurity,
  UploadError,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { createCors, type EnvOption } from '@berth/server-stubs/contract';
import {
  BlobDamagedError,
  createStorage,
  FILES_PATH,
  type SignedUse,
  StoreUnavailableError,
  UPLOAD_PATH,
} from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import { type Authenticator, createAuthenticator } from './auth/authenticator.ts';
import { Issuers } from './auth/issuers.ts';
import type { Calls } from './calls.ts';
import type { Config } from './config/config.ts';
import { createGateway } from './gateway/gateway.ts';
import { type Application, toRequestUrl } from './http.ts';
import type { Log } from './log.ts';
import type { Metrics, Surface } from './metrics.ts';
import { Quotas } from './quotas.ts';
import { connectRedis, type RedisState } from './redis.ts';
import type { BlobStore } from './store/blob-store.ts';
import { openDiskStore } from './store/disk/disk-store.ts';
import type { WithLocks } from './store/locks.ts';

/** What a reload keeps: connections, files, and what has been counted and cached. */
export interface Resources {
  /** Those of the configuration in use, also for a call that began before a reload. */
  environments: Config['environments'];
  /** What several processes share: quotas, revocations and locks. Undefined if this process is alone. */
  readonly redis: RedisState | undefined;
  readonly blobs: BlobStore;
  readonly quotas: Quotas;
  readonly issuers: Issuers;
  readonly gateway: ReturnType<typeof createGateway>;
}

/** @throws StoreUnavailableError if the store cannot be used */
export async function openResources(
  config: Config,
  log: Log,
  metrics: Metrics,
): Promise<Resources> {
  const redis =
    config.redis &&
    (await connectRedis(config.redis, {
      onFailure: (use) => metrics.redisFailures.inc({ use }),
      onChange(reason) {
        if (reason === undefined) log.info('Redis is available again');
        else log.warn({ err: reason }, 'Redis is not available');
      },
    }));
  const { environments } = config;
  const quotas = new Quotas(environments, redis);
  const issuers = new Issuers(environments, (env, reason) =>
    log.error({ env, reason }, 'cannot load the keys for access tokens'),
  );
  const gateway = createGateway(config, ({ env }) => checkGatewayQuota(env, quotas));
  const onStoreFailure = (method: string, error: Error, key: unknown) => {
    metrics.storeFailures.inc({ method });
    if (!(error instanceof BlobDamagedError)) return;
    metrics.damagedFiles.inc();
    log.error({ file: key, err: error }, 'a file is damaged');
  };
  const store = await openStore(config.store, redis?.withLocks).catch((error: unknown) => {
    redis?.close();
    throw error;
  });
  const blobs = observeStore(store, onStoreFailure);
  return { environments, redis, blobs, quotas, issuers, gateway };
}

export function updateResources(resources: Resources, config: Config): void {
  const { issuers, gateway, quotas } = resources;
  resources.environments = config.environments;
  issuers.update(config.environments);
  gateway.update(config);
  quotas.update(config.environments);
}

export async function closeResources({ redis, blobs, gateway }: Resources): Promise<void> {
  gateway.close();
  redis?.close();
  await blobs.close();
}

/**
 * Opens the file store of a configuration.
 * @param sharedLocks locks of all processes that use the store. Default: only this one uses it
 */
async function openStore(store: Config['store'], sharedLocks?: WithLocks): Promise<BlobStore> {
  switch (store.driver) {
    case 'disk':
      return openDiskStore({ ...store, sharedLocks });
    case 's3': {
      // The SDK takes longer to load than everything else.
      const { createS3Store } = await import('./store/s3/s3-store.ts');
      return createS3Store({ ...store, sharedLocks });
    }
  }
}

/** Reports when the store is not available and when a file is damaged. */
function observeStore(
  store: BlobStore,
  onFailure: (method: string, error: Error, key: unknown) => void,
): BlobStore {
  const observe = async <T>(method: string, key: unknown, call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const isOurs = error instanceof StoreUnavailableError || error instanceof BlobDamagedError;
      if (isOurs) onFailure(method, error, key);
      throw error;
    }
  };
  return {
    write: (key, content, options) => observe('write', key, store.write(key, content, options)),
    stat: (key) => observe('stat', key, store.stat(key)),
    async open(key) {
      const blob = await observe('open', key, store.open(key));
      return (
        blob && {
          ...blob,
          sendTo: (target, range) => observe('send', key, blob.sendTo(target, range)),
        }
      );
    },
    copy: (from, to, options) => observe('copy', from, store.copy(from, to, options)),
    delete: (key) => observe('delete', key, store.delete(key)),
    sweep: (olderThan) => observe('sweep', undefined, store.sweep(olderThan)),
    check: () => observe('check', undefined, store.check()),
    close: () => store.close(),
  };
}

type Listener = Application['request'];

export function createApplication(
  config: Config,
  resources: Resources,
  calls: Calls,
  log: Log,
): Application {
  const { cors, wireProfile, limits, environments, publicUrl } = config;
  const { blobs, gateway, issuers, quotas, redis } = resources;
  const authenticator = createAuthenticator(config, issuers);
  const { onError, onResponse, onRefusal } = calls;
  const env = toEnvOption(Object.keys(environments));
  const common = { cors, wireProfile, onResponse, onError };
  const onStorageError = (error: unknown, requestId: string) =>
    log.error({ requestId, err: error }, 'storage failed');

  // 1. The gateway: callers are authenticated here, and `gateway` calls the hosted service.
  const gatewayRouter = createGatewayRouter(gateway.handlers, {
    ...common,
    env,
    security: guardGateway(authenticator, redis),
    // A large body is kept in a file.
    signedBodies: 'handler',
    requests: { streamBytes: limits.gatewayBodyBytes },
  });

  // 2. The storage API. It issues the grants and links that the other two surfaces accept.
  const { storage, upload, download } = createStorage({
    blobs,
    signer: createSigner(config.keys.map(({ secret }) => Buffer.from(secret))),
    bucketOf: (name) =>
      Object.hasOwn(environments, name) ? environments[name]?.bucket : undefined,
    publicUrl: publicUrl?.replace(/(?<!\/)\/+$/, '') ?? toRequestUrl,
    limits,
    wireProfile: () => wireProfile,
    authorizeUse: (use) => authorizeUse(use, resources),
    onChange: (change) => log.info({ audit: true, ...change }, `file ${change.action}`),
    onError: onStorageError,
  });
  const storageRouter = createStorageRouter(storage, {
    ...common,
    env,
    security: guardStorage(authenticator, redis, quotas),
    batchItems: limits.batchItems,
    requests: { bodyBytes: limits.storageBodyBytes },
  });

  // 3. The upload target: a grant is the credential.
  const uploadRouter = createUploadRouter(upload, { ...common, fileBytes: limits.uploadBytes });

  // 4. Downloads: the signature of a link is the credential.
  const linkCors = createCors('link', wireProfile, cors);
  const links = createDownloadListener({
    download,
    cors: linkCors,
    onRefusal,
    onError: onStorageError,
  });

  const requests: Readonly<Record<Surface, Listener>> = {
    gateway: gatewayRouter,
    storage: storageRouter,
    upload: mount(UPLOAD_PATH, uploadRouter),
    files: (request, response) => void links(request, response),
  };
  const continues: Readonly<Record<Surface, Listener>> = {
    gateway: gatewayRouter.checkContinue,
    storage: storageRouter.checkContinue,
    upload: mount(UPLOAD_PATH, uploadRouter.checkContinue),
    files: requests.files,
  };
  const begin = (request: IncomingMessage, response: ServerResponse): Surface => {
    const path = toOriginForm(request.url ?? '/');
    const surface = surfaceOf(path);
    // Only the gateway reads the host of an absolute target.
    if (surface !== 'gateway') request.url = path;
    calls.begin(surface, request, response);
    return surface;
  };
  return {
    request(request, response) {
      requests[begin(request, response)](request, response);
    },
    checkContinue(request, response) {
      continues[begin(request, response)](request, response);
    },
    upgrade(request, socket, head) {
      calls.beginUpgrade(request);
      gatewayRouter.upgrade(request, socket, head);
    },
    shouldUpgrade: gatewayRouter.shouldUpgrade,
    cors: createCors('gateway', wireProfile, cors),
  };
}

/** RFC 9112, section 3.2.2: "a server MUST accept the absolute-form in requests". */
function toOriginForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
}

/** Returns the surface for a path. The gateway gets every path that belongs to no other surface. */
function surfaceOf(url: string): Surface {
  if (url.startsWith('/v1/')) return 'gateway';
  const path = `${url.split('?', 1)[0]}/`;
  if (path.startsWith('/api/v2/')) return 'storage';
  if (path.startsWith(`${UPLOAD_PATH}/`)) return 'upload';
  return path.startsWith(`${FILES_PATH}/`) ? 'files' : 'gateway';
}

function mount(prefix: string, listener: Listener): Listener {
  return (request, response) => {
    const rest = (request.url ?? '/').slice(prefix.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    listener(request, response);
  };
}

/** D12: "a server with a single environment also accepts any loopback host". */
function toEnvOption(names: readonly string[]): EnvOption {
  if (names.length === 1) return names[0] as string;
  const known = new Set(names);
  return (name) => known.has(name);
}

/** Authenticates callers of the gateway, and rejects key pairs that were revoked. Tokens are not revoked in Redis. */
function guardGateway(
  { gateway: { bearerToken, signature } }: Authenticator,
  redis: RedisState | undefined,
): GatewaySecurity<Caller> {
  if (redis === undefined) return { bearerToken, signature };
  return {
    bearerToken,
    async signature(value, call) {
      const caller = await signature(value, call);
      if (!caller || !(await isRevoked(caller, redis).catch(failGateway))) return caller;
      const error = new GatewayError('INVALID_CREDENTIALS', { message: REVOKED });
      const { verifyBody } = caller;
      if (verifyBody === undefined) throw error;
      // Only callers that know the secret learn that the key pair exists.
      const refuseBody = (hash: string) => {
        verifyBody(hash);
        throw error;
      };
      return { ...caller, verifyBody: refuseBody };
    },
  };
}

/** Authenticates callers of the storage API, rejects key pairs that were revoked, and counts the call. */
function guardStorage(
  { storage }: Authenticator,
  redis: RedisState | undefined,
  quotas: Quotas,
): StorageSecurity<Caller> {
  return {
    async credentials(credentials, call) {
      const caller = await storage.credentials(credentials, call);
      if (!caller) return caller;
      if (redis !== undefined && (await isRevoked(caller, redis).catch(failStorage))) {
        throw new StorageError('SIGN_PARAM_INVALID', { message: REVOKED });
      }
      await checkStorageQuota(call.envId, quotas);
      return caller;
    },
  };
}

async function checkStorageQuota(env: string, quotas: Quotas): Promise<void> {
  const retryAfter = await quotas.count(env);
  if (retryAfter !== undefined) throw new StorageError('EXCEED_RATELIMIT', { retryAfter });
}

/** Returns a promise only if Redis counts. */
function checkGatewayQuota(env: string, quotas: Quotas): void | Promise<void> {
  const retryAfter = quotas.count(env);
  return retryAfter instanceof Promise ? retryAfter.then(refuseCall) : refuseCall(retryAfter);
}

function refuseCall(retryAfter: number | undefined): void {
  if (retryAfter !== undefined) throw new GatewayError('EXCEED_RATELIMIT', { retryAfter });
}

/** Rejects grants and links that were revoked, or whose key pair was revoked or removed. */
async function authorizeUse(
  { kind, id, env, caller }: SignedUse,
  { environments, redis }: Resources,
): Promise<void> {
  const pairs = environments[env]?.credentials ?? [];
  const isKnown = pairs.some((pair) => pair.id === caller);
  if (!isKnown || (await redis?.isRevoked(['key-pair', `${env}/${caller}`], [kind, id]))) {
    throw new UploadError('AccessDenied', { message: `The ${kind} has been revoked.` });
  }
}

const REVOKED = 'The key pair has been revoked.';

const isRevoked = ({ env, id }: Caller, redis: RedisState): Promise<boolean> =>
  redis.isRevoked(['key-pair', `${env}/${id}`]);

/** Refuses every call while it is unknown which credentials are revoked. */
function failGateway(cause: Error): never {
  const message = 'Revocations cannot be checked at the moment.';
  throw new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause });
}

function failStorage(cause: Error): never {
  throw new StorageError('SERVICE_UNAVAILABLE', { cause });
}
