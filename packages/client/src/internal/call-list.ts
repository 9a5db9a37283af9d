import { LIMITS } from '../generated/contract.gen.ts';
import type { ItemResult, ListOptions } from '../operations/list-options.ts';
import { mapLimit } from './map-limit.ts';
import { type ItemRules, readItems } from './read-items.ts';
import type { StorageBody, StorageContext, StorageOperation } from './storage-context.ts';

type ListOperation = Exclude<StorageOperation, 'getUploadMetaData'>;
type Item<Operation extends ListOperation> = StorageBody<Operation>['fileList'][number];

/** An operation on a list of files of any length. */
export interface ListCall<Operation extends ListOperation, Key, Value> extends ItemRules<Value> {
  readonly operation: Operation;
  readonly items: readonly Item<Operation>[];
  /** What tells a file from the others: its fields are in its result. */
  readonly keyOf: (item: Item<Operation>) => Key;
  /** Its name, for errors. */
  readonly nameOf: (item: Item<Operation>) => string;
}

/**
 * Calls an operation with a list of any length: "at most 50 items a batch; the client splits longer
 * lists itself, 4 calls at a time by default" (D25).
 *
 * @returns a result for each item, in their order
 */
export async function callList<Operation extends ListOperation, Key, Value>(
  context: StorageContext,
  list: ListCall<Operation, Key, Value>,
  { concurrency = LIMITS.batchConcurrency, ...options }: ListOptions,
): Promise<ItemResult<Key, Value>[]> {
  const { operation, items, keyOf, nameOf } = list;
  const batches: (typeof items)[] = [];
  for (let at = 0; at < items.length; at += LIMITS.batchItems) {
    batches.push(items.slice(at, at + LIMITS.batchItems));
  }
  const results = await mapLimit(batches, concurrency, async (batch) => {
    const names = batch.map(nameOf);
    const subject = names.length === 1 ? `${names[0]}` : `a list of ${names.length} files`;
    let values: (Value | Error)[];
    try {
      const body = { fileList: batch } as StorageBody<Operation>;
      const answer = await context.call(operation, body, list.what(subject), options);
      values = readItems(answer, names, list);
    } catch (error) {
      values = names.map(() => error as Error);
    }
    return batch.map((item, index) => {
      const value = values[index];
      const rest = value instanceof Error ? { error: value } : value;
      return { ...keyOf(item), ...rest } as ItemResult<Key, Value>;
    });
  });
  return results.flat();
}

/**
 * The result of a list of one.
 *
 * @throws its error
 */
export function onlyResult<Result extends { readonly error?: Error | undefined }>([
  result,
]: Result[]): Exclude<Result, { readonly error: Error }> {
  if (result?.error) throw result.error;
  return result as Exclude<Result, { readonly error: Error }>;
}
