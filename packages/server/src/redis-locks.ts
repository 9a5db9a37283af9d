import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailableError } from '@berth/storage';

/** How long a lock is held after its last renewal, for example because its process was killed. */
const LEASE_MILLISECONDS = 30_000;
const RENEWAL_MILLISECONDS = 5_000;

/** The work is aborted this long before the lease ends, so that no request of it arrives later. */
const FENCE_MILLISECONDS = 15_000;

/** Longer than the lease of a killed process. */
const WAIT_MILLISECONDS = 45_000;
const POLL_MILLISECONDS = 20;

const ACQUIRE = `
for _, key in ipairs(KEYS) do if redis.call('EXISTS', key) == 1 then return 0 end end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return 1`;

const RENEW = `
for _, key in ipairs(KEYS) do if redis.call('GET', key) ~= ARGV[1] then return 0 end end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[2]) end
return 1`;

const RELEASE = `
for _, key in ipairs(KEYS) do if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end end
return 1`;

/** Runs a script; returns undefined if Redis is unavailable and the server may continue without it. */
type RunScript = (script: string, keys: string[], values: (string | number)[]) => Promise<unknown>;

type WithLocks = <Result>(
  names: readonly string[],
  work: (signal?: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/**
 * Creates locks for all replicas. An S3 store cannot check who holds a lock, so the holder has to stop in time:
 * the signal of the work is aborted if the lock cannot be renewed, well before another replica can get it.
 */
export function createLocks(run: RunScript): WithLocks {
  const now = () => performance.now();
  return async (names, work) => {
    const token = randomUUID();
    const acquire = () => run(ACQUIRE, [...names], [token, LEASE_MILLISECONDS]);
    const giveUpAt = now() + WAIT_MILLISECONDS;
    let askedAt = now();
    for (let result = await acquire(); result !== 1; result = await acquire()) {
      if (result === undefined) return work();
      if (now() > giveUpAt) throw new StoreUnavailableError('The file is locked.');
      await wait(POLL_MILLISECONDS * (0.5 + Math.random()));
      askedAt = now();
    }
    const lost = new AbortController();
    const abort = () => lost.abort(new StoreUnavailableError('The lock of the file was lost.'));
    const renewal = setInterval(async () => {
      const at = now();
      // Checked before anything else continues, even if the process was suspended.
      if (at - askedAt > LEASE_MILLISECONDS - FENCE_MILLISECONDS) {
        abort();
        return;
      }
      const result = await run(RENEW, [...names], [token, LEASE_MILLISECONDS]).catch(
        () => undefined,
      );
      if (result === 1) askedAt = at;
      if (result === 0) abort();
    }, RENEWAL_MILLISECONDS);
    try {
      return await work(lost.signal);
    } finally {
      clearInterval(renewal);
      await run(RELEASE, [...names], [token]).catch(() => {});
    }
  };
}
