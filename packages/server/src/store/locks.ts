/**
 * Runs work while no other work holds a lock with one of these names. Whatever changes a file holds the lock of its
 * name.
 *
 * The signal is aborted if a lock that several processes share is lost: the work must then change nothing more.
 */
export type WithLocks = <Result>(
  names: readonly string[],
  work: (signal?: AbortSignal) => Promise<Result>,
) => Promise<Result>;

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
