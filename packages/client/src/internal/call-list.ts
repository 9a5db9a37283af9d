import { BATCH_CONCURRENCY, BATCH_ITEMS } from '../generated/contract.gen.ts';
import type { ItemResult, ListOptions } from '../operations/list-options.ts';
import { assertInteger } from './assert-integer.ts';
import { mapLimit } from './map-limit.ts';
import { type ItemRules, readItems } from './read-items.ts';
import type { StorageBody, StorageContext, StorageOperation } from './storage-context.ts';

type ListOperation = Exclude<StorageOperation, 'getUploadMetaData'>;
/** What is sent of a file. */
export type Item<Operation extends ListOperation> = StorageBody<Operation>['fileList'][number];

/** An operation on a list of files of any length. */
export interface ListCall<Operation extends ListOperation, Key, Value> extends ItemRules<Value> {
  readonly operation: Operation;
  readonly items: readonly Item<Operation>[];
  /** What tells a file from the others: its fields are in its result and in its errors. */
  readonly keyOf: (item: Item<Operation>) => Key;
}

/**
 * Calls an operation with a list of any length: "at most 50 items a batch; the client splits longer
 * lists itself, 4 calls at a time by default" (D25).
 *
 * @returns a result for each item, in their order
 */
export async function callList<Operation extends ListOperation, Key extends object, Value>(
  context: StorageContext,
  list: ListCall<Operation, Key, Value>,
  { concurrency = BATCH_CONCURRENCY, ...options }: ListOptions,
): Promise<ItemResult<Key, Value>[]> {
  const { operation, items, keyOf, what } = list;
  const callBatch = async (batch: typeof items) => {
    const keys = batch.map(keyOf);
    const names = keys.map((key) => Object.values(key).join(' to '));
    const subject = names.length > 1 ? `a list of ${names.length} files` : (names[0] as string);
    let values: (Value | { error: Error })[];
    try {
      const body = { fileList: batch } as StorageBody<Operation>;
      const answer = await context.call(operation, body, what(subject), options);
      values = readItems(answer, names, list);
    } catch (error) {
      values = names.map(() => ({ error }) as { error: Error });
    }
    return keys.map((key, index) => ({ ...key, ...values[index] }) as ItemResult<Key, Value>);
  };
  // Most lists are of one.
  if (items.length === 1) {
    assertInteger('concurrency', concurrency, 1);
    return callBatch(items);
  }
  const batches = Array.from({ length: Math.ceil(items.length / BATCH_ITEMS) }, (_, index) =>
    items.slice(index * BATCH_ITEMS, (index + 1) * BATCH_ITEMS),
  );
  return (await mapLimit(batches, concurrency, callBatch)).flat();
}

/**
 * The result of a list of one.
 *
 * @throws its error
 */
export async function onlyResult<Result extends { readonly error?: Error | undefined }>(
  results: Promise<Result[]>,
): Promise<Exclude<Result, { readonly error: Error }>> {
  const result = (await results)[0] as Result;
  // A reason may be anything, also what is false.
  if ('error' in result) throw result.error;
  return result as Exclude<Result, { readonly error: Error }>;
}
