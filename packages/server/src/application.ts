import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createCors, type EnvOption } from '@berth/server-stubs/contract';
import { createStorage, UPLOAD_PATH } from '@berth/storage';
import { createDownloadListener, createSigner } from '@berth/storage/node';
import { createAuthenticator, createRevocations } from './auth/authenticator.ts';
import { createIssuers } from './auth/issuers.ts';
import type { Config } from './config/config.ts';
import { createGateway } from './gateway/gateway.ts';
import { createEndpointPool } from './gateway/targets.ts';
import { recordOf, type Surface } from './http/call-record.ts';
import { type Application, type InFlight, type Listener, toRequestUrl } from './http/http.ts';
import { createCalls } from './observe/calls.ts';
import type { Log } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { createQuotas } from './quotas.ts';
import { connectRedis } from './redis.ts';
import { openDiskStore } from './store/disk/disk-store.ts';
import type { WithLocks } from './store/locks.ts';
import { freeChunk, type ServerStore } from './store/server-store.ts';

type Resources = Awaited<ReturnType<typeof openResources>>;

/** Opens what a reload keeps: connections, the file store, counters and caches. */
export async function openResources(config: Config, log: Log, metrics: Metrics) {
  const onChange = (feature: string, reason?: unknown) => {
    if (reason === undefined) log.info({ feature }, 'Redis is available again');
    else log.warn({ feature, err: reason }, 'Redis is not available');
  };
  const redis =
    config.redis && (await connectRedis(config.redis, metrics.countRedisFailure, onChange));
  const blobs = await openStore(config, log, redis?.withLocks).catch((error: unknown) => {
    redis?.close();
    throw error;
  });
  const quotas = createQuotas(config, redis);
  const issuers = createIssuers(config, (env, reason) =>
    log.error({ env, reason }, 'cannot load the keys for access tokens'),
  );
  const revocations = createRevocations(config, redis);
  const endpoints = createEndpointPool();
  // A reload updates these immediately.
  const reloadable = { quotas, issuers, revocations };
  const update = (next: Config): void => {
    for (const part of Object.values(reloadable)) part.update(next);
    log.level = next.log.level;
  };
  const inFlight: InFlight = { calls: 0, webSockets: new Set() };
  return { redis, blobs, endpoints, inFlight, ...reloadable, update };
}

/** @param sharedLocks locks that all processes with this store use. Default: no other process uses it */
async function openStore(
  { store }: Config,
  log: Log,
  sharedLocks: WithLocks | undefined,
): Promise<ServerStore> {
  if (store.driver === 'file') {
    const onWait = () => log.warn('waiting to see whether the last user of the store has exited');
    return openDiskStore({ ...store, sharedLocks, onWait });
  }
  // The SDK takes longer to load than everything else.
  const { S3Store } = await import('./store/s3/s3-store.ts');
  return new S3Store({ ...store, sharedLocks });
}

/** Creates what a reload replaces. A call keeps the application, and so the settings, with which it began. */
export function createApplication(
  config: Config,
  resources: Resources,
  log: Log,
  metrics: Metrics,
): Application {
  const { cors, wireProfile, limits, publicUrl } = config;
  const { blobs, revocations, inFlight } = resources;
  const calls = createCalls(config, log, metrics, inFlight);
  const security = createAuthenticator(config, resources);
  const { onCall, onError, onResponse, onRejected } = calls;
  const env = toEnvOption(Object.keys(config.environments));
  const common = { cors, wireProfile, onCall, onResponse, onError };

  // 1. The gateway: callers are authenticated here, and `gateway` calls the hosted service.
  const gatewayRouter = createGatewayRouter(createGateway(config, resources), {
    ...common,
    env,
    security: security.gateway,
    // A large body is kept in a file.
    signedBodies: 'handler',
    requests: { streamBytes: limits.gatewayBodyBytes },
  });

  // 2. The storage API. It issues the grants and links that the other two surfaces accept.
  const { storage, upload, download } = createStorage({
    blobs,
    signer: createSigner(config.keys.map(({ secret }) => Buffer.from(secret))),
    bucketOf: (name) =>
      Object.hasOwn(config.environments, name) ? config.environments[name]?.bucket : undefined,
    publicUrl: publicUrl ?? toRequestUrl,
    limits,
    authorizeUse(use, request) {
      if (use.kind === 'grant') recordOf(request).grantedEnv = use.env;
      return revocations.authorize(use);
    },
    onChange: (change) => log.info({ audit: true, ...change }, `file ${change.action}`),
    onError(error, requestId) {
      metrics.countStoreError(error);
      log.error({ requestId, err: error }, 'storage failed');
    },
  });
  const storageRouter = createStorageRouter(storage, {
    ...common,
    env,
    security: security.storage,
    batchItems: limits.batchItems,
    requests: { bodyBytes: limits.storageBodyBytes },
  });

  // 3. The other two surfaces: a grant, or the signature of a link, is the credential.
  const routers: Readonly<Record<Surface, Router>> = {
    gateway: gatewayRouter,
    storage: storageRouter,
    upload: createUploadRouter(upload, { ...common, fileBytes: limits.uploadBytes }),
    link: createDownloadListener({ cors, wireProfile, download, onRejected }),
  };
  const begin = (request: IncomingMessage, response: ServerResponse): Router => {
    const { surface, target } = calls.begin(request, response);
    // The upload router expects paths without its mount; the routers of both APIs read the host of an absolute target.
    if (surface === 'upload') {
      request.url = target.slice(UPLOAD_PATH.length).replace(/^\/?/, '/');
      // After a rejection, the rest of the form is read and dropped.
      response.once('close', () => request.on('data', freeChunk));
    }
    if (surface === 'link') request.url = target;
    return routers[surface];
  };
  return {
    request(request, response) {
      begin(request, response)(request, response);
    },
    checkContinue(request, response) {
      const router = begin(request, response);
      (router.checkContinue ?? router)(request, response);
    },
    upgrade(request, socket, head) {
      calls.begin(request);
      gatewayRouter.upgrade(request, socket, head);
    },
    shouldUpgrade: gatewayRouter.shouldUpgrade,
    cors: createCors('gateway', wireProfile, cors),
    wireProfile,
    onRefused: calls.onRefused,
  };
}

type Router = Listener & { readonly checkContinue?: Listener };

/** D12: "a server with a single environment also accepts any loopback host". */
function toEnvOption(names: readonly string[]): EnvOption {
  if (names.length === 1) return names[0] as string;
  const known = new Set(names);
  return (name) => known.has(name);
}
