/**
 * Runs work while no other work holds a lock with one of these names. Whatever changes a file holds the lock of its
 * name.
 *
 * Work under a lock that several processes share gets that lock: once it is lost, the work must change nothing more.
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

const queues = new Map<string, Promise<void>>();

/** Locks of this process. Waiting work runs in order of arrival. */
export const withLocks: WithLocks = async (names, work) => {
  // Always in the same order, which rules out deadlocks.
  const [name, ...rest] = [...new Set(names)].sort();
  if (name === undefined) return work();
  const before = queues.get(name);
  const { promise, resolve } = Promise.withResolvers<void>();
  queues.set(name, promise);
  await before;
  try {
    return await withLocks(rest, work);
  } finally {
    resolve();
    if (queues.get(name) === promise) queues.delete(name);
  }
};

/** Adds the locks of this process to locks that several processes share, which cost a round trip each. */
export function withLocalLocks(shared: WithLocks): WithLocks {
  return (names, work) => withLocks(names, () => shared(names, work));
}
