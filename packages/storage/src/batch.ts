import type { StorageCall } from '@berth/server-stubs';
import { StorageError, type StorageItemCode } from '@berth/server-stubs/contract';
import type { StorageContext } from './context.ts';
import { toStoreFault } from './store-errors.ts';

/** Enough to hide the latency of a store without overloading it. */
const AT_ONCE = 8;

interface Batch<Item, Result> {
  readonly touches: (item: Item) => Touched;
  readonly run: (item: Item) => Promise<Result>;
  readonly toFailed: (item: Item, code: StorageItemCode) => Result;
}

/**
 * Results are in request order (D25). D30: an invalid item never makes other items fail. If the store fails
 * for all items, nothing was done: the entire call fails, so that clients that check only the status retry
 * it. Once the caller has gone, no item is started: while a store hangs, a batch could go on for half an hour.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { touches, run, toFailed }: Batch<Item, Result>,
  { onError }: Pick<StorageContext, 'onError'>,
  { requestId, signal }: Pick<StorageCall, 'requestId'> & Partial<Pick<StorageCall, 'signal'>>,
): Promise<Result[]> {
  const failures: unknown[] = [];
  const results = await runInOrder(items, touches, async (item) => {
    if (signal?.aborted) return toFailed(item, 'SERVICE_UNAVAILABLE');
    try {
      return await run(item);
    } catch (error) {
      failures.push(error);
      return toFailed(item, toStoreFault(error).item);
    }
  });
  const [first] = failures;
  const isTotal = failures.length > 0 && failures.length === items.length;
  // The router reports it.
  if (isTotal && !toStoreFault(first).isRetryable) throw first;
  // A store that is down fails for each item with the same message.
  const byMessage = new Map(failures.map((error) => [String(error), error]));
  for (const error of byMessage.values()) onError(error, requestId);
  if (isTotal) throw new StorageError('SERVICE_UNAVAILABLE', { cause: first });
  return results;
}

/** The files that an item uses. */
export interface Touched {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

/**
 * Runs items concurrently, or in sequence if one of them writes a file that another one uses, so that the outcome is
 * always that of a sequence.
 */
export async function runInOrder<Item, Result>(
  items: readonly Item[],
  touches: (item: Item) => Touched,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All runners take their next item from the same iterator.
  const rest = items.entries();
  const runRest = async () => {
    for (const [index, item] of rest) results[index] = await run(item);
  };
  const runners = areIndependent(items.map(touches)) ? AT_ONCE : 1;
  await Promise.all(Array.from({ length: runners }, runRest));
  return results;
}

function areIndependent(items: readonly Touched[]): boolean {
  const read = new Set<string>();
  const written = new Set<string>();
  return items.every(({ reads = [], writes = [] }) => {
    const isFree =
      !reads.some((path) => written.has(path)) &&
      !writes.some((path) => written.has(path) || read.has(path));
    for (const path of reads) read.add(path);
    for (const path of writes) written.add(path);
    return isFree;
  });
}
