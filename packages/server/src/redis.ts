import { isIP } from 'node:net';
import { StoreUnavailableError } from '@berth/storage';
import type { Config, Quota } from './config/config.ts';
import { createLocks } from './store/locks.ts';

/** Redis responds within a millisecond, unless its machine is busy; no call waits longer than this. */
const COMMAND_MILLISECONDS = 1000;

/** After a timeout, only urgent commands are sent for this long: calls do not wait for Redis. */
const PAUSE_MILLISECONDS = 1000;

const CONNECT_MILLISECONDS = 3000;
const MAX_RECONNECT_MILLISECONDS = 2000;

export const REVOCABLE = ['grant', 'link'] as const;

export type Revocable = (typeof REVOCABLE)[number];

export type RedisState = Awaited<ReturnType<typeof connectRedis>>;

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

type RedisFeature = 'quota' | 'revocation' | 'lock';

/**
 * Connects to Redis or Valkey. Resolves once it is connected, or after the first failed attempt; the connection is
 * restored in the background. While it is not available, each method throws a StoreUnavailableError.
 *
 * @param onFailure called for each use for which Redis was not available
 * @param onChange called when Redis becomes unavailable, and without a reason when it is back; for one use if Redis
 * responds with an error, as it does to commands that write when it is full
 */
export async function connectRedis(
  { url, password, prefix }: NonNullable<Config['redis']>,
  onFailure: (use: RedisFeature) => void = () => {},
  onChange: (reason: Error | undefined, scope: RedisFeature | 'all') => void = () => {},
) {
  // Loaded on demand, because most servers do not use Redis.
  const [{ Redis, ReplyError }, { RateLimiterRedis }] = await Promise.all([
    import('ioredis'),
    import('rate-limiter-flexible'),
  ]);
  const { protocol, hostname, host } = new URL(url);
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
    retryStrategy: (attempts) =>
      Math.min(50 * 2 ** Math.min(attempts, 6), MAX_RECONNECT_MILLISECONDS) *
      (0.5 + Math.random() / 2),
  });
  // `countCall` compares the count, so that a quota may change.
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${prefix}quota`,
    points: Number.MAX_SAFE_INTEGER,
    duration: 1,
  });
  const unavailable = new Set<RedisFeature | 'all'>();
  let resumesAt = 0;

  function change(reason: Error | undefined, scope: RedisFeature | 'all' = 'all'): void {
    if (unavailable.has(scope) === (reason !== undefined)) return;
    if (reason === undefined) unavailable.delete(scope);
    else unavailable.add(scope);
    onChange(reason, scope);
  }

  async function send<T>(use: RedisFeature, run: () => Promise<T>, isUrgent = false): Promise<T> {
    let cause: unknown;
    if (isUrgent || performance.now() >= resumesAt) {
      try {
        const result = await withTimeout(run());
        change(undefined);
        change(undefined, use);
        return result;
      } catch (error) {
        cause = error;
        const isReply = error instanceof ReplyError;
        if (isReply) change(undefined);
        // Otherwise, each call would wait for Redis until the connection is closed.
        else if (redis.status === 'ready') resumesAt = performance.now() + PAUSE_MILLISECONDS;
        change(error as Error, isReply ? use : 'all');
      }
    }
    onFailure(use);
    // Without the URL, which may contain the password.
    throw new StoreUnavailableError(`Redis at ${host} is not available.`, { cause });
  }

  const toKey = (kind: Revocable, name: string) => `${prefix}revoked:${kind}:${name}`;

  await new Promise<void>((resolve) => {
    setTimeout(resolve, CONNECT_MILLISECONDS).unref();
    redis.once('ready', resolve);
    redis.on('error', (error) => {
      change(error);
      resolve();
    });
  });
  redis.on('ready', () => change(undefined));

  return {
    /** Counts a call in the window of all processes, or returns how many full seconds to wait. */
    countCall: (env: string, { calls, seconds }: Quota): Promise<number | undefined> =>
      send('quota', async () => {
        const window = `${env}:${seconds}`;
        const count = await limiter.consume(window, 1, { customDuration: seconds });
        if (count.consumedPoints <= calls) return undefined;
        return Math.max(Math.ceil(count.msBeforeNext / 1000), 1);
      }),
    isRevoked: (kind: Revocable, name: string): Promise<boolean> =>
      send('revocation', async () => (await redis.exists(toKey(kind, name))) > 0),
    /** @param seconds how long to remember it */
    async revoke(kind: Revocable, name: string, seconds: number): Promise<void> {
      const command = () => redis.set(toKey(kind, name), 1, 'EX', Math.ceil(seconds));
      await send('revocation', command);
    },
    withLocks: createLocks((script, names, values, isUrgent) => {
      const keys = names.map((name) => `${prefix}lock:${name}`);
      const command = () => redis.eval(script, keys.length, ...keys, ...values);
      return send('lock', command, isUrgent);
    }),
    close: () => redis.disconnect(),
  };
}
