import type { StorageCall } from '@berth/server-stubs';
import { StorageError } from '@berth/server-stubs/contract';
import { SourceKeptError } from './blob-store.ts';
import type { StorageContext } from './context.ts';
import { type ItemErrorCode, toStoreFault } from './store-errors.ts';

/** Enough to hide the latency of a store without overloading it. */
const MAX_CONCURRENT = 8;

interface Batch<Item, Result> {
  readonly filesOf: (item: Item) => FileAccess;
  readonly run: (item: Item) => Promise<Result>;
  readonly toFailed: (item: Item, code: ItemErrorCode, message?: string) => Result;
}

/**
 * Results are in request order (D25). D30: an invalid item never makes other items fail. If the store fails
 * for all items, nothing was done: the entire call fails, so that clients that check only the status retry
 * it. Once the caller has gone, no item is started: while a store hangs, a batch could go on for half an hour.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { filesOf, run, toFailed }: Batch<Item, Result>,
  { onError }: StorageContext,
  { requestId, signal }: StorageCall,
): Promise<Result[]> {
  const failures: unknown[] = [];
  const results = await runInOrder(items, filesOf, async (item) => {
    if (signal.aborted) return toFailed(item, 'SERVICE_UNAVAILABLE');
    try {
      return await run(item);
    } catch (error) {
      const { itemCode, details, isCallersFault } = toStoreFault(error);
      if (!isCallersFault) failures.push(error);
      return toFailed(item, itemCode, details?.message);
    }
  });
  // A store that is down fails for each item with the same message.
  const byMessage = new Map(failures.map((error) => [String(error), error]));
  for (const error of byMessage.values()) onError(error, requestId);
  const [cause] = failures;
  const isTotal = failures.length > 0 && failures.length === items.length;
  // A file that was copied, but not moved, is a change.
  if (!isTotal || failures.some((error) => error instanceof SourceKeptError)) return results;
  const isRetryable = failures.every(
    (error) => toStoreFault(error).itemCode === 'SERVICE_UNAVAILABLE',
  );
  throw new StorageError(isRetryable ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR', { cause });
}

/** The files that an item uses. */
interface FileAccess {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

/**
 * Runs items concurrently, or in sequence if one of them writes a file that another one uses, so that the outcome is
 * always as if the items ran one after another.
 */
async function runInOrder<Item, Result>(
  items: readonly Item[],
  filesOf: (item: Item) => FileAccess,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All runners take their next item from the same iterator.
  const rest = items.entries();
  const runRest = async () => {
    for (const [index, item] of rest) results[index] = await run(item);
  };
  const runners = areIndependent(items.map(filesOf)) ? MAX_CONCURRENT : 1;
  await Promise.all(Array.from({ length: runners }, runRest));
  return results;
}

function areIndependent(items: readonly FileAccess[]): boolean {
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
