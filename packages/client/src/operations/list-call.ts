import { BATCH_CONCURRENCY, BATCH_ITEMS, ITEM_SUCCESS } from '../generated/contract.gen.ts';
import type { StorageResponse } from '../internal/envelope.ts';
import { isRecord } from '../internal/json.ts';
import { assertInteger } from '../internal/options.ts';
import type {
  StorageBody,
  StorageCallOptions,
  StorageContext,
  StorageOperation,
} from '../internal/storage-context.ts';

/**
 * Options of a call with a list of files.
 *
 * @example
 * const results = await storage.delete(ids, { concurrency: 2, signal });
 */
export interface ListOptions extends StorageCallOptions {
  /** Calls under way at the same time, each with at most 50 files (D25). Default: 4. */
  readonly concurrency?: number | undefined;
}

/**
 * What became of one file of a list: its values, or an `error`. A file that fails leaves the others
 * as they are, and so does a call that fails: it is the `error` of each of its files. Where the
 * signal aborts, its reason is the `error` of each file that was not done yet.
 */
export type ItemResult<Key, Value> =
  | (Key &
      Value & {
        /** There is none: the file is done. */
        readonly error?: undefined;
      })
  | (Key & { readonly [Name in keyof Value]?: undefined } & {
      /** Why the file failed: an error of the family, or what one of your functions threw. */
      readonly error: Error;
    });

type ListOperation = {
  [Id in StorageOperation]: StorageBody<Id> extends { fileList: readonly unknown[] } ? Id : never;
}[StorageOperation];

/** What is sent of a file. */
export type Item<Operation extends ListOperation> = StorageBody<Operation>['fileList'][number];

/** How the entries of an operation are read. */
interface ItemRules<Value> {
  /** Beginning of an error, made of the name of a file. */
  readonly what: (name: string) => string;
  /** Whether entries name another file than their own, and have a code only where it failed. */
  readonly isCopy?: boolean;
  /** The values of a good entry; `undefined` where it lacks one. */
  readonly read: (entry: Record<string, unknown>) => Value | undefined;
}

/** An operation on a list of files of any length. */
interface ListCall<Operation extends ListOperation, Key, Value> extends ItemRules<Value> {
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
  const batches = Array.from({ length: Math.ceil(items.length / BATCH_ITEMS) }, (_, index) =>
    items.slice(index * BATCH_ITEMS, (index + 1) * BATCH_ITEMS),
  );
  return (await mapLimit(batches, concurrency, callBatch)).flat();
}

/**
 * The values, or the error, of each file that was asked for. "`code` equal to `SUCCESS` means success
 * for temporary links and delete. For copy, `code` and `message` are present only when that item
 * failed." Entries stand "in request order" (D25); where they name the file that they belong to, that
 * counts more than the place.
 */
function readItems<Value>(
  { data, fail }: StorageResponse,
  names: readonly string[],
  { what, isCopy, read }: ItemRules<Value>,
): (Value | { error: Error })[] {
  const entries: unknown[] = Array.isArray(data.fileList) ? data.fileList : [];
  const ids = entries.map((entry) => (isRecord(entry) && !isCopy ? entry.fileID : undefined));

  return names.map((name, index) => {
    const isOfOther = ids[index] !== name && names.includes(ids[index] as string);
    const entry = entries[isOfOther ? ids.indexOf(name) : index];
    const refuse = (reason: { code?: unknown; message?: unknown }) => ({
      error: fail(what(name), reason),
    });
    if (!isRecord(entry)) return refuse({ message: 'the answer has no entry for the file' });
    if (entry.code ? entry.code !== ITEM_SUCCESS : !isCopy) {
      return refuse(entry.code ? entry : { message: 'the answer has no code for the file' });
    }
    return read(entry) ?? refuse({ message: 'the answer has no valid address' });
  });
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

/** Runs `run` on each item, at most `limit` at a time, and gives the results in the items' order. */
export async function mapLimit<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  assertInteger('concurrency', limit, 1);
  const results: Result[] = [];
  // All workers draw from one iterator, so that each item is taken once.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
