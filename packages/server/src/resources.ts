import { BlobDamagedError, StoreUnavailableError } from '@berth/storage';
import { Issuers } from './auth/issuers.ts';
import type { Config } from './config/config.ts';
import { createGateway } from './gateway/gateway.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { Quotas } from './quotas.ts';
import { connectRedis, type RedisState } from './redis.ts';
import { openDiskStore } from './store/disk/disk-store.ts';
import type { WithLocks } from './store/locks.ts';
import type { ServerStore } from './store/server-store.ts';

/** What a reload keeps: connections, files, and what has been counted and cached. */
export interface Resources {
  /** Environments of the current configuration, also for a call that began before a reload. */
  environments: Config['environments'];
  /** What several processes share: quotas, revocations and locks. Undefined if this process is alone. */
  readonly redis: RedisState | undefined;
  readonly blobs: ServerStore;
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
  const store = await openStore(config.store, redis?.withLocks).catch((error: unknown) => {
    redis?.close();
    throw error;
  });
  const { environments } = config;
  const quotas = new Quotas(environments, redis);
  const issuers = new Issuers(environments, (env, reason) =>
    log.error({ env, reason }, 'cannot load the keys for access tokens'),
  );
  const gateway = createGateway(config, quotas);
  const blobs = observeStore(store, log, metrics);
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
async function openStore(store: Config['store'], sharedLocks?: WithLocks): Promise<ServerStore> {
  switch (store.driver) {
    case 'file':
      return openDiskStore({ ...store, sharedLocks });
    case 's3': {
      // The SDK takes longer to load than everything else.
      const { createS3Store } = await import('./store/s3/s3-store.ts');
      return createS3Store({ ...store, sharedLocks });
    }
  }
}

/** Reports when the store is not available and when a file is damaged. */
function observeStore(store: ServerStore, log: Log, metrics: Metrics): ServerStore {
  const observe = async <T>(method: string, key: unknown, call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      const isDamage = error instanceof BlobDamagedError;
      if (isDamage || error instanceof StoreUnavailableError) metrics.storeFailures.inc({ method });
      if (isDamage) {
        metrics.damagedFiles.inc();
        log.error({ file: key, err: error }, 'a file is damaged');
      }
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
    sweep: () => observe('sweep', undefined, store.sweep()),
    check: () => observe('check', undefined, store.check()),
    close: () => store.close(),
  };
}
