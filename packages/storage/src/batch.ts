import type { StorageCall } from '@berth/server-stubs';
import { StorageError } from '@berth/server-stubs/contract';
import { SourceKeptError } from './blob-store.ts';
import type { StorageContext } from './context.ts';
import { type ItemErrorCode, type StoreFault, toStoreFault } from './store-errors.ts';

/** How the items of a batch are run. */
export interface Batch<Item, Result> {
  /** Names the files that an item uses, so that it waits for earlier items that use them. */
  readonly filesOf: (item: Item) => FileAccess;
  /** Runs an item. If it throws, the item fails with the code of the error. */
  readonly run: (item: Item) => Promise<Result>;
  /** Returns the result of a failed item. Without a message, the contract's message for the code applies. */
  readonly toFailure: (item: Item, code: ItemErrorCode, message?: string) => Result;
}

/** The files that an item uses. */
interface FileAccess {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

/**
 * Results are in request order (D25). D30: an invalid item never makes other items fail. If the store fails for all
 * items, nothing was done: the entire call fails, so that clients that check only the status retry it. Once the caller
 * has disconnected, no item is started: while a store hangs, a batch could keep running for half an hour.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { filesOf, run, toFailure }: Batch<Item, Result>,
  { onError }: StorageContext,
  { requestId, signal }: StorageCall,
): Promise<Result[]> {
  const faults: StoreFault[] = [];
  const results = await runItems(items, filesOf, async (item) => {
    if (signal.aborted) return toFailure(item, 'SERVICE_UNAVAILABLE');
    try {
      return await run(item);
    } catch (error) {
      const fault = toStoreFault(error);
      if (fault.origin !== 'caller') faults.push(fault);
      return toFailure(item, fault.itemCode, fault.details.message);
    }
  });
  const errors = faults.map(({ details }) => details.cause);
  // A store that is down fails for each item with the same message.
  const byMessage = new Map(errors.map((error) => [String(error), error]));
  for (const error of byMessage.values()) onError(error, requestId);
  // A file that was copied, but not moved, is a change.
  const allFailed =
    faults.length === items.length && !errors.some((error) => error instanceof SourceKeptError);
  // The call is worth a retry only if each item is.
  const fault = faults.find(({ itemCode }) => itemCode !== 'SERVICE_UNAVAILABLE') ?? faults[0];
  if (allFailed && fault !== undefined) throw new StorageError(fault.itemCode, fault.details);
  return results;
}

/** Enough to hide the latency of a store without overloading it. */
const MAX_CONCURRENT = 8;

/**
 * Runs items concurrently, or in sequence if one of them writes a file that another one uses, so that the outcome is
 * always as if the items ran one after another.
 */
async function runItems<Item, Result>(
  items: readonly Item[],
  filesOf: (item: Item) => FileAccess,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // All runners take their next item from the same iterator.
  const queue = items.entries();
  const runQueue = async () => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  const runners = areIndependent(items.map(filesOf)) ? MAX_CONCURRENT : 1;
  await Promise.all(Array.from({ length: runners }, runQueue));
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
