import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailableError } from '@berth/storage';

/**
 * Runs work while no other work holds one of these locks. Every change to a file holds the lock on its name.
 *
 * If the lock is shared between processes, `work` receives it and must stop making changes once it is lost.
 */
export type WithLocks = <Result>(
  names: readonly string[],
  work: (lock?: SharedLock) => Promise<Result>,
) => Promise<Result>;

export interface SharedLock {
  /** Aborted when the lock is lost, except while the process is suspended. */
  readonly signal: AbortSignal;
  /**
   * Call it before each change: unlike the signal, it also knows when the process has just been suspended.
   * @throws StoreUnavailableError if the lock is lost
   */
  assertHeld(): void;
}

/**
 * Returns how many milliseconds have passed since this call, by the clock that says more: the monotonic one may stand
 * still while the machine sleeps, and the other one may be set back.
 */
export function startTimer(): () => number {
  const [now, date] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - now, Date.now() - date);
}

const queues = new Map<string, Promise<void>>();

/** Locks of this process. Waiting work runs in order of arrival. */
const withLocks: WithLocks = async (names, work) => {
  // Always in the same order, which rules out deadlocks.
  const [name, ...rest] = [...new Set(names)].sort();
  if (name === undefined) return work();
  const previous = queues.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  queues.set(name, promise);
  await previous;
  try {
    return await withLocks(rest, work);
  } finally {
    resolve();
    if (queues.get(name) === promise) queues.delete(name);
  }
};

/** Returns the locks of a store. Each shared lock costs a round trip, so this process first waits for its own. */
export function toLocks(shared: WithLocks | undefined): WithLocks {
  if (shared === undefined) return withLocks;
  return (names, work) => withLocks(names, () => shared(names, work));
}

/** Maximum time of an operation, with all its attempts and the wait for its locks. */
const OPERATION_SECONDS = 50;

export interface Operation {
  /** Locks that it holds. Default: none. */
  readonly names?: readonly string[];
  /** Aborts the operation. */
  readonly stop?: AbortSignal;
  /** Maximum time that it may take. Default: `OPERATION_SECONDS`. */
  readonly seconds?: number;
}

/**
 * Runs an operation on a remote store, which ends in time whatever it is waiting for: a response, another attempt, or a
 * lock.
 *
 * @param work gets a signal that is aborted if it takes too long, if another process may get its locks, and by `stop`
 * @throws StoreUnavailableError if it takes too long, or its locks are lost; the reason of `stop`
 */
export async function runOperation<T>(
  work: (signal: AbortSignal, lock?: SharedLock) => Promise<T>,
  withLocks: WithLocks,
  { names = [], stop, seconds = OPERATION_SECONDS }: Operation,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort(new StoreUnavailableError('The object store is not responding.'));
  }, seconds * 1000);
  const ending = stop ? AbortSignal.any([timeout.signal, stop]) : timeout.signal;
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(ending.reason);
  ending.addEventListener('abort', end);
  /** Forgotten at the end: it may keep the content of an upload in memory, and still wait for a lock. */
  let task: typeof work | undefined = work;
  const start = async (lock?: SharedLock) => {
    ending.throwIfAborted();
    return (task as typeof work)(lock ? AbortSignal.any([ending, lock.signal]) : ending, lock);
  };
  try {
    ending.throwIfAborted();
    const result = names.length === 0 ? start() : withLocks(names, start);
    return await Promise.race([result, ended.promise]);
  } finally {
    task = undefined;
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  }
}

/** How long a lock is held after its last renewal, for example because its process was killed. */
const LEASE_MILLISECONDS = 30_000;
const RENEWAL_MILLISECONDS = 5_000;

/** The work is aborted this long before the lease ends, so that none of its requests arrives after that. */
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

/**
 * Creates locks for all processes. A store cannot check who holds a lock, so the holder has to stop in time: the
 * lock of the work is lost if it cannot be renewed, well before another process can get it.
 * @param run runs a script in Redis
 * @param countBreaks how often the connection to Redis has broken: it may have restarted, without the locks
 */
export function createLocks(
  run: (script: string, names: readonly string[], values: (string | number)[]) => Promise<unknown>,
  countBreaks: () => number,
): WithLocks {
  return async (names, work) => {
    const token = randomUUID();
    // A lock that is not released blocks its file until the lease ends.
    const release = () => run(RELEASE, names, [token]).catch(() => {});
    const acquire = () =>
      run(ACQUIRE, names, [token, LEASE_MILLISECONDS]).catch((error: unknown) => {
        // Redis may have run it: only the reply is missing.
        void release();
        throw error;
      });
    const giveUpAt = performance.now() + WAIT_MILLISECONDS;
    let timeSinceRenewal = startTimer();
    let breaks = countBreaks();
    while ((await acquire()) !== 1) {
      if (performance.now() > giveUpAt) throw new StoreUnavailableError('The file is locked.');
      await wait(POLL_MILLISECONDS * (0.5 + Math.random()));
      timeSinceRenewal = startTimer();
      breaks = countBreaks();
    }
    const lost = new AbortController();
    const abort = () => lost.abort(new StoreUnavailableError('The lock of the file was lost.'));
    const checkTime = () => {
      const isLate = timeSinceRenewal() > LEASE_MILLISECONDS - FENCE_MILLISECONDS;
      if (isLate || countBreaks() !== breaks) abort();
    };
    const assertHeld = () => {
      checkTime();
      lost.signal.throwIfAborted();
    };
    const renewal = setInterval(async () => {
      checkTime();
      if (lost.signal.aborted) return;
      const timer = startTimer();
      const result = await run(RENEW, names, [token, LEASE_MILLISECONDS]).catch(() => undefined);
      if (result === 1) timeSinceRenewal = timer;
      if (result === 0) abort();
    }, RENEWAL_MILLISECONDS);
    try {
      return await work({ signal: lost.signal, assertHeld });
    } finally {
      clearInterval(renewal);
      await release();
    }
  };
}
