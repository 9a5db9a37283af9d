/** The last one in each queue. */
const queues = new Map<string, Promise<void>>();

/**
 * Does the work when nobody else of this process works under one of these names. Those who ask for the same
 * name have their turns in the order in which they asked.
 */
export async function withLocks<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
  // In one order for everybody, so that no two wait for each other.
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
