const queues = new Map<string, Promise<void>>();

/**
 * Runs an operation while no other operation in this process uses any of these names. Waiting operations run
 * in order of arrival.
 */
export async function withLocks<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
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
}
