import { Revocations } from './auth/authenticator.ts';
import { Issuers } from './auth/issuers.ts';
import type { Config } from './config/config.ts';
import { createGateway } from './gateway/gateway.ts';
import { createCalls } from './observe/calls.ts';
import type { Log } from './observe/log.ts';
import type { Metrics } from './observe/metrics.ts';
import { Quotas } from './quotas.ts';
import { connectRedis } from './redis.ts';
import { openDiskStore } from './store/disk/disk-store.ts';
import type { WithLocks } from './store/locks.ts';
import { observeStore, type ServerStore } from './store/server-store.ts';

/** Parts that follow a new configuration at once. */
type Reloadables = Readonly<Record<string, { update(config: Config): void }>>;

export type Resources = Awaited<ReturnType<typeof openResources>>;

/** Opens what a reload keeps: connections, files, and what has been counted and cached. */
export async function openResources(config: Config, log: Log, metrics: Metrics) {
  const redis =
    config.redis &&
    (await connectRedis(
      config.redis,
      (use) => metrics.redisFailures.inc({ use }),
      (reason, use) => {
        if (reason === undefined) log.info({ use }, 'Redis is available again');
        else log.warn({ use, err: reason }, 'Redis is not available');
      },
    ));
  const store = await openStore(config.store, redis?.withLocks).catch((error: unknown) => {
    redis?.close();
    throw error;
  });
  const quotas = new Quotas(config, redis);
  const issuers = new Issuers(config, (env, reason) =>
    log.error({ env, reason }, 'cannot load the keys for access tokens'),
  );
  const revocations = new Revocations(config, redis);
  const gateway = createGateway(config, quotas);
  const calls = createCalls(log, metrics, config);
  const parts = { quotas, issuers, revocations, gateway, calls } satisfies Reloadables;
  const update = (next: Config): void => {
    for (const part of Object.values(parts)) part.update(next);
    log.level = next.log.level;
  };
  const blobs = observeStore(store, log, metrics);
  return { redis, blobs, ...parts, update };
}

/** @param sharedLocks locks of all processes that use the store. Default: only this one uses it */
async function openStore(store: Config['store'], sharedLocks?: WithLocks): Promise<ServerStore> {
  if (store.driver === 'file') return openDiskStore(store.root, sharedLocks);
  // The SDK takes longer to load than everything else.
  const { createS3Store } = await import('./store/s3/s3-store.ts');
  return createS3Store({ ...store, sharedLocks });
}
