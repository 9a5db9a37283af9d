import {
  GatewayError,
  type GatewaySecurity,
  StorageError,
  type StorageSecurity,
} from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import { createAuthenticator } from '../auth/create-authenticator.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Config } from '../config/config.ts';
import { createGateway, type Gateway } from '../gateway/create-gateway.ts';
import { createCombinedRegistry } from '../gateway/registry/combined-registry.ts';
import type { Log } from '../log/create-log.ts';
import type { Metrics } from '../observe/create-metrics.ts';
import { createQuotas, type Quota } from '../quotas/create-quotas.ts';
import { checkParts } from './check-parts.ts';
import { createBlobs } from './create-blobs.ts';
import { observeStore } from './observe-store.ts';
import { toAuthEnvironments } from './to-auth-environments.ts';
import { toDnsOptions } from './to-dns-options.ts';
import { toServiceConfigs } from './to-service-configs.ts';

/** What has state, and outlives a change of the configuration. */
export interface Services {
  readonly blobs: BlobStore;
  readonly gateway: Gateway;
  /** Of the authenticator; tokens that were verified a short while ago are counted. */
  readonly gatewaySecurity: GatewaySecurity<Caller>;
  /** Of the authenticator, with the quota of the environment asked after it. */
  readonly storageSecurity: StorageSecurity<Caller>;
  /** @throws ConfigError for what could never work; all then stays as it was */
  update(config: Config): Promise<void>;
  close(): Promise<void>;
}

export interface ServicesOptions {
  readonly log: Log;
  readonly metrics: () => Metrics;
}

export async function createServices(
  config: Config,
  { log, metrics }: ServicesOptions,
): Promise<Services> {
  const { limits, listen } = config;
  const registry = createCombinedRegistry(toServiceConfigs(config), {
    ...toDnsOptions(config),
    onError: (error) => log.warn({ err: error }, 'DNS failed'),
  });
  const quotas = createQuotas(toQuotas(config));
  const authenticator = await createAuthenticator({
    environments: toAuthEnvironments(config),
    signature: config.signature,
    wireProfile: config.wireProfile,
    clockWindowSeconds: limits.clockWindowSeconds,
    tokenCacheSeconds: limits.tokenCacheSeconds,
    onKeyFailure: (env, reason) => log.error({ env, reason }, 'keys of tokens cannot be had'),
  });
  const gateway = createGateway({
    registry,
    headersSeconds: limits.gatewayHeadersSeconds,
    spoolBytes: limits.gatewaySpoolBytes,
    trustProxy: listen.trustProxy,
    wireProfile: config.wireProfile,
    admit({ env }) {
      const retryAfter = quotas.take(env);
      if (retryAfter !== undefined) throw new GatewayError('EXCEED_RATELIMIT', { retryAfter });
    },
  });
  const blobs = observeStore(await createBlobs(config.store), (method) =>
    metrics().countStoreFailure(method),
  );
  return {
    blobs,
    gateway,
    gatewaySecurity: {
      signature: authenticator.gateway.signature,
      bearerToken(token, call) {
        const caller = authenticator.gateway.bearerToken(token, call);
        metrics().countLogin(caller instanceof Promise ? 'miss' : 'hit');
        return caller;
      },
    },
    storageSecurity: {
      async credentials(credentials, call) {
        const caller = await authenticator.storage.credentials(credentials, call);
        const retryAfter = caller ? quotas.take(call.envId) : undefined;
        if (retryAfter !== undefined) throw new StorageError('EXCEED_RATELIMIT', { retryAfter });
        return caller;
      },
    },
    async update(next) {
      // All or nothing: what one part refuses must not come after the change of another.
      await checkParts(next);
      await authenticator.update(toAuthEnvironments(next));
      registry.update(toServiceConfigs(next));
      quotas.update(toQuotas(next));
    },
    async close() {
      authenticator.close();
      gateway.close();
      await Promise.all([registry.close(), blobs.close()]);
    },
  };
}

function toQuotas({ environments }: Config): [string, Quota][] {
  return Object.entries(environments).flatMap(([env, { quota }]) =>
    quota === undefined ? [] : [[env, quota]],
  );
}
