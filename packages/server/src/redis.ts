import { once } from 'node:events';
import { isIP } from 'node:net';
import { type SignedUse, StoreUnavailableError } from '@berth/storage';
import type { Config, Quota } from './config/config.ts';
import { createLocks } from './store/locks.ts';

/** Redis responds within a millisecond, unless its machine is busy; no call waits longer than this. */
const COMMAND_MILLISECONDS = 1000;

/** After a timeout, no calls are counted in Redis for this long, so that they do not wait for it. */
const PAUSE_MILLISECONDS = 1000;

const CONNECT_MILLISECONDS = 3000;
const MAX_RECONNECT_MILLISECONDS = 2000;

type Revocable = SignedUse['kind'];

export type RedisState = Awaited<ReturnType<typeof connectRedis>>;

type Feature = 'quota' | 'revocation' | 'lock';

/**
 * Connects to Redis or Valkey. Resolves once it is connected, or after the first failed attempt; the connection is
 * restored in the background. While it is not available, each method throws a StoreUnavailableError.
 *
 * | Event                                                     | Becomes unavailable | Is available again |
 * | --------------------------------------------------------- | ------------------- | ------------------ |
 * | a command gets a reply                                    |                     | all, its feature   |
 * | a command gets an error, as writes do while Redis is full | its feature         | all                |
 * | a command gets no reply in time; the connection fails     | all                 |                    |
 * | the connection is restored                                |                     | all                |
 *
 * @param onFailure called each time that a feature could not be used
 * @param onChange called when a feature, or all, becomes unavailable, and without a reason when it is available again
 */
export async function connectRedis(
  config: NonNullable<Config['redis']>,
  onFailure: (feature: Feature) => void = () => {},
  onChange: (feature: Feature | 'all', reason?: unknown) => void = () => {},
) {
  const { redis, limiter, ReplyError } = await createClient(config);
  const { host } = new URL(config.url);
  const unavailable = new Set<Feature | 'all'>();
  let countsAgainAt = 0;
  let breaks = 0;
  redis.on('ready', () => setAvailable('all'));
  redis.on('close', () => {
    breaks += 1;
  });
  redis.on('error', (error) => setUnavailable('all', error));

  function setAvailable(feature: Feature | 'all'): void {
    if (unavailable.delete(feature)) onChange(feature);
  }

  function setUnavailable(feature: Feature | 'all', reason: unknown): void {
    if (unavailable.has(feature)) return;
    unavailable.add(feature);
    onChange(feature, reason);
  }

  async function send<Reply>(feature: Feature, command: () => Promise<Reply>): Promise<Reply> {
    try {
      const reply = await withTimeout(command());
      setAvailable('all');
      setAvailable(feature);
      return reply;
    } catch (error) {
      if (error instanceof ReplyError) {
        setAvailable('all');
        setUnavailable(feature, error);
      } else {
        setUnavailable('all', error);
        const isTimeout = redis.status === 'ready';
        if (isTimeout) countsAgainAt = performance.now() + PAUSE_MILLISECONDS;
      }
      fail(feature, error);
    }
  }

  function fail(feature: Feature, cause?: unknown): never {
    onFailure(feature);
    // Without the URL, which may contain the password.
    throw new StoreUnavailableError(`Redis at ${host} is not available.`, { cause });
  }

  const toKey = (kind: string, name: string) => `${config.prefix}${kind}:${name}`;
  const signal = AbortSignal.timeout(CONNECT_MILLISECONDS);
  // Also rejects after the first error.
  await once(redis, 'ready', { signal }).catch(() => {});
  return {
    /** Whether each feature was available when it was last used. */
    isAvailable: () => unavailable.size === 0,
    /** Counts a call in the window of all processes, or returns how many full seconds to wait. */
    async countCall(env: string, { calls, seconds }: Quota): Promise<number | undefined> {
      if (performance.now() < countsAgainAt) fail('quota');
      const options = { customDuration: seconds };
      const count = await send('quota', () => limiter.consume(`${env}:${seconds}`, 1, options));
      if (count.consumedPoints <= calls) return undefined;
      return Math.max(Math.ceil(count.msBeforeNext / 1000), 1);
    },
    isRevoked: (kind: Revocable, name: string): Promise<boolean> =>
      send('revocation', async () => (await redis.exists(toKey(`revoked:${kind}`, name))) > 0),
    /** @param seconds how long to remember it */
    async revoke(kind: Revocable, name: string, seconds: number): Promise<void> {
      const key = toKey(`revoked:${kind}`, name);
      await send('revocation', () => redis.set(key, 1, 'EX', Math.ceil(seconds)));
    },
    withLocks: createLocks(
      (script, names, values) => {
        const keys = names.map((name) => toKey('lock', name));
        return send('lock', () => redis.eval(script, keys.length, ...keys, ...values));
      },
      () => breaks,
    ),
    close: () => redis.disconnect(),
  };
}

async function createClient({ url, password, prefix }: NonNullable<Config['redis']>) {
  // Loaded on demand, because most servers do not use Redis.
  const [{ Redis, ReplyError }, { RateLimiterRedis }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ]);
  const { protocol, hostname } = new URL(url);
  // SNI, which must not contain an address (RFC 6066, section 3).
  const tls = isIP(hostname.replaceAll(/[[\]]/g, '')) ? {} : { servername: hostname };
  const redis = new Redis(url, {
    ...(password !== undefined && { password }),
    ...(protocol === 'rediss:' && { tls }),
    connectTimeout: CONNECT_MILLISECONDS,
    socketTimeout: CONNECT_MILLISECONDS,
    // A command fails at once instead of waiting for a connection.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // After a failover, the address of the primary leads to another server.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempts) =>
      Math.min(50 * 2 ** Math.min(attempts, 6), MAX_RECONNECT_MILLISECONDS) *
      (0.5 + Math.random() / 2),
  });
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}quota`,
    // `countCall` compares the count, so that a quota may change.
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
  });
  return { redis, limiter, ReplyError };
}

/**
 * Limits the time of a command. If this process was busy, a timer can fire although the reply has arrived, because timers
 * run before sockets are read. So there are two timers, one after the other, and the reply is read in between.
 */
async function withTimeout<Reply>(reply: Promise<Reply>): Promise<Reply> {
  const timeout = Promise.withResolvers<never>();
  const half = COMMAND_MILLISECONDS / 2;
  let timer = setTimeout(() => {
    timer = setTimeout(() => timeout.reject(new Error('Command timed out')), half);
  }, half);
  try {
    return await Promise.race([reply, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
