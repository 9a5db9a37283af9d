import {
  GatewayError,
  type GatewaySecurity,
  StorageError,
  type StorageSecurity,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import { createCors } from '@berth/server-stubs/contract';
import { createAuthenticator } from './auth/authenticator.ts';
import { type Config, ConfigError } from './config/config.ts';
import { createGateway } from './gateway/create-gateway.ts';
import { createServices } from './gateway/services.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { Quotas } from './quotas.ts';
import { connectRedis, type RedisState } from './redis.ts';
import { BlobDamagedError } from './store/blob-store.ts';
import { createStore, observeStore } from './store/open-store.ts';

/** Everything that is stateful, and therefore kept when the configuration is reloaded. */
export type State = Awaited<ReturnType<typeof createState>>;

export async function createState(
  config: Config,
  { log, metrics }: { readonly log: Log; readonly metrics: () => Metrics },
) {
  const { limits, listen } = config;
  const services = createServices(config.environments);
  const quotas = new Quotas(config.environments, {
    take: (env, quota) => shared?.take(env, quota) ?? Promise.reject(),
  });
  const takeCall = async (env: string) => quotas.take(env);
  const isRevoked = async ({ env, id }: Caller) =>
    shared !== undefined && (await shared.isRevoked(['key-pair', `${env}/${id}`]));
  const authenticator = createAuthenticator(config, {
    onKeyFailure: (env, reason) =>
      log.error({ env, reason }, 'cannot load the keys for access tokens'),
  });
  const gateway = createGateway({
    services,
    headersSeconds: limits.gatewayHeadersSeconds,
    spoolBytes: limits.gatewaySpoolBytes,
    maxHeaderBytes: listen.maxHeaderBytes,
    trustProxy: listen.trustProxy,
    wireProfile: config.wireProfile,
    async beforeCall({ env }) {
      const retryAfter = await takeCall(env);
      if (retryAfter !== undefined) throw new GatewayError('EXCEED_RATELIMIT', { retryAfter });
    },
  });
  const withSharedLocks: RedisState['withLocks'] = (names, work) =>
    (shared as RedisState).withLocks(names, work);
  const blobs = observeStore(
    await createStore(config.store, config.redis && withSharedLocks),
    (method, error, key) => {
      metrics().countStoreFailure(method);
      if (!(error instanceof BlobDamagedError)) return;
      metrics().countDamage();
      log.error({ file: key, err: error }, 'a file is damaged');
    },
  );
  // Last, because its connection keeps the process running if another part fails.
  const shared =
    config.redis &&
    (await connectRedis(config.redis, {
      onFailure: (use) => metrics().countFallback(use),
      onChange(reason) {
        if (reason === undefined) log.info('Redis is available again');
        else log.warn({ err: reason }, 'Redis is not available');
      },
    }));
  return {
    blobs,
    gateway,
    shared,
    gatewaySecurity: {
      async signature(value, call) {
        const caller = await authenticator.gateway.signature(value, call);
        if (!caller || !(await isRevoked(caller).catch(toGatewayError))) return caller;
        const error = new GatewayError('INVALID_CREDENTIALS', { message: REVOKED });
        const { verifyBody } = caller;
        if (verifyBody === undefined) throw error;
        // Only callers that know the secret learn that the key pair exists.
        return {
          ...caller,
          verifyBody(hash) {
            verifyBody(hash);
            throw error;
          },
        };
      },
      bearerToken: authenticator.gateway.bearerToken,
    } satisfies GatewaySecurity<Caller>,
    storageSecurity: {
      async credentials(credentials, call) {
        const caller = await authenticator.storage.credentials(credentials, call);
        if (caller && (await isRevoked(caller).catch(toStorageError))) {
          throw new StorageError('SIGN_PARAM_INVALID', { message: REVOKED });
        }
        if (!caller) return caller;
        const retryAfter = await takeCall(call.envId);
        if (retryAfter !== undefined) throw new StorageError('EXCEED_RATELIMIT', { retryAfter });
        return caller;
      },
    } satisfies StorageSecurity<Caller>,
    /** @throws ConfigError for what could never work; nothing changes in that case */
    async update(next: Config) {
      await asConfigError(async () => {
        createCors('gateway', next.wireProfile, next.cors);
        // Either all parts change or none does: no part may reject the configuration after another has changed.
        const replaceServices = services.prepare(next.environments);
        authenticator.update(next.environments);
        replaceServices();
        quotas.update(next.environments);
      });
    },
    async close() {
      authenticator.close();
      gateway.close();
      shared?.close();
      await blobs.close();
    },
  };
}

const REVOKED = 'The key pair has been revoked.';

function toGatewayError(cause: Error): never {
  const message = 'Revocations cannot be checked at the moment.';
  throw new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause });
}

function toStorageError(cause: Error): never {
  throw new StorageError('SERVICE_UNAVAILABLE', { cause });
}

/**
 * Runs the configuration checks that only the server's components can perform, such as the one that rejects a
 * key set without keys. Opens nothing and makes no requests.
 * @throws ConfigError
 */
export function checkParts(config: Config): Promise<void> {
  return asConfigError(async () => {
    createCors('gateway', config.wireProfile, config.cors);
    createServices(config.environments);
    createAuthenticator(config).close();
  });
}

async function asConfigError(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError([{ path: [], problem: error.message.replace(/\.$/, '') }]);
  }
}
