import { StorageError, type StorageErrorCode } from '@berth/server-stubs';
import { StoreUnavailableError } from '../../blobs/blob-errors.ts';
import type { StorageContext } from '../storage-context.ts';
import { runInOrder, type Touched } from './run-in-order.ts';

/** What a batch does with each of its items. */
export interface Batch<Item, Result> {
  readonly touches: (item: Item) => Touched;
  readonly run: (item: Item) => Promise<Result>;
  /** The entry of an item for which the store failed. */
  readonly toFailed: (item: Item, code: StorageErrorCode) => Result;
}

/**
 * Runs a batch. Results stand in request order (D25).
 *
 * D30: "one bad item never fails the good ones": where the store fails for some items, those entries
 * say so. Where it fails for all of them nothing was done, and the whole call fails, so that clients
 * which repeat a call by its status do.
 *
 * @throws StorageError SERVICE_UNAVAILABLE
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { touches, run, toFailed }: Batch<Item, Result>,
  { onError }: Pick<StorageContext, 'onError'>,
  requestId: string,
): Promise<Result[]> {
  const failures: unknown[] = [];
  const results = await runInOrder(items, touches, async (item) => {
    try {
      return await run(item);
    } catch (error) {
      failures.push(error);
      onError(error, requestId);
      return toFailed(
        item,
        error instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR',
      );
    }
  });
  if (items.length === 0 || failures.length < items.length) return results;
  const [first] = failures;
  if (!(first instanceof StoreUnavailableError)) throw first;
  throw new StorageError('SERVICE_UNAVAILABLE', { cause: first });
}
