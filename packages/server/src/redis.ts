import { isIP } from 'node:net';
import { StoreUnavailableError } from '@berth/storage';
import type { Config } from './config/config.ts';
import { createLocks } from './redis-locks.ts';

/** Redis responds within a millisecond; no call waits longer than this. */
const COMMAND_MILLISECONDS = 500;

/** After a timeout, no call waits for Redis for this long. */
const PAUSE_MILLISECONDS = 1000;

const CONNECT_MILLISECONDS = 3000;
const MAX_RECONNECT_MILLISECONDS = 2000;

/**
 * A token bucket, stored as the time when it will be full again, by the clock of Redis. It counts exactly as the
 * quotas of a single process do.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local interval = tonumber(ARGV[1])
local most = interval * ARGV[2]
local full = tonumber(redis.call('GET', KEYS[1]) or now)
full = math.min(math.max(full, now), now + most) + interval
local wait = full - now - most
if wait > 0.01 then return math.ceil(wait / 1000) end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0`;

type Fallback = 'quota' | 'revocation' | 'lock';

export const REVOCABLE = ['key-pair', 'grant', 'link'] as const;

export type Revocable = (typeof REVOCABLE)[number];

export type Shared = Awaited<ReturnType<typeof createShared>>;

/**
 * Connects to Redis or Valkey. `onFallback` is called for each decision that is made without it, and `onChange` when it
 * becomes unavailable, and without a reason when it is back.
 * Resolves when it is connected, or has failed to for the first time. While it is
 * unavailable, revocations and locks throw a StoreUnavailableError, and quotas are counted by each process.
 */
export async function createShared(
  { url, password, prefix }: NonNullable<Config['redis']>,
  onFallback: (fallback: Fallback) => void = () => {},
  onChange: (reason: Error | undefined) => void = () => {},
) {
  // Loaded on demand, because most servers do not share state.
  const { Redis } = await import('ioredis');
  const { protocol, hostname, host } = new URL(url);
  // SNI, which must not contain an address (RFC 6066, section 3).
  const tls = isIP(hostname.replaceAll(/[[\]]/g, '')) ? {} : { servername: hostname };
  const redis = new Redis(url, {
    ...(password !== undefined && { password }),
    ...(protocol === 'rediss:' && { tls }),
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: COMMAND_MILLISECONDS,
    socketTimeout: CONNECT_MILLISECONDS,
    // Calls are decided without Redis instead of waiting for it.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempts) =>
      Math.min(50 * 2 ** Math.min(attempts, 6), MAX_RECONNECT_MILLISECONDS) *
      (0.5 + Math.random() / 2),
  });
  let isAway = false;
  let resumesAt = 0;

  function change(reason: Error | undefined): void {
    if (isAway === (reason !== undefined)) return;
    isAway = reason !== undefined;
    onChange(reason);
  }

  async function send<Result>(command: () => Promise<Result>): Promise<Result> {
    if (performance.now() < resumesAt) throw unavailable();
    try {
      const result = await command();
      change(undefined);
      return result;
    } catch (error) {
      // Otherwise, each call would wait for Redis until the connection is closed.
      if (redis.status === 'ready') resumesAt = performance.now() + PAUSE_MILLISECONDS;
      change(error as Error);
      throw unavailable(error);
    }
  }

  // Without the URL, which may contain the password.
  const unavailable = (cause?: unknown) =>
    new StoreUnavailableError(`Redis at ${host} is not available.`, { cause });

  async function decide<Result>(
    fallback: Fallback,
    mayDecide: boolean,
    otherwise: Result,
    command: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await send(command);
    } catch (error) {
      if (!mayDecide) throw error;
      onFallback(fallback);
      return otherwise;
    }
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
    /** Returns how many full seconds the caller has to wait: 0 for none, undefined if Redis is unavailable. */
    take: (env: string, { interval, capacity }: { interval: number; capacity: number }) =>
      decide('quota', true, undefined, async () =>
        Number(await redis.eval(TAKE, 1, `${prefix}quota:${env}`, interval, capacity)),
      ),
    isRevoked: (...revocables: (readonly [kind: Revocable, name: string])[]) =>
      decide('revocation', false, false, async () => {
        const keys = revocables.map(([kind, name]) => toKey(kind, name));
        return (await redis.exists(...keys)) > 0;
      }),
    /** @param seconds how long to remember it. Default: until it is restored */
    async revoke(kind: Revocable, name: string, seconds?: number) {
      const key = toKey(kind, name);
      await send(() =>
        seconds === undefined ? redis.set(key, 1) : redis.set(key, 1, 'EX', Math.ceil(seconds)),
      );
    },
    /** Undoes a revocation. Returns whether there was one. */
    restore: async (kind: Revocable, name: string) =>
      (await send(() => redis.del(toKey(kind, name)))) > 0,
    withLocks: createLocks((script, keys, values) =>
      decide('lock', false, undefined, () =>
        redis.eval(script, keys.length, ...keys.map((key) => `${prefix}lock:${key}`), ...values),
      ),
    ),
    close: () => redis.disconnect(),
  };
}
