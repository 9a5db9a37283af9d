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
 * Options for a call with a list of files.
 *
 * @example
 * const results = await storage.delete(ids, { concurrency: 2, signal });
 */
export interface ListOptions extends StorageCallOptions {
  /** Number of parallel calls, each with up to 50 files (D25). Default: 4. */
  readonly concurrency?: number | undefined;
}

/**
 * The result for one file in a list: its values, or an `error`. A failed file does not affect the others. If
 * an entire call fails, every file in that call gets its error. If the signal aborts, every unfinished file
 * gets the signal's reason as its `error`.
 */
export type ItemResult<Key, Value> =
  | (Key &
      Value & {
        /** Absent if the file succeeded. */
        readonly error?: undefined;
      })
  | (Key & { readonly [Name in keyof Value]?: undefined } & {
      /** Why the file failed: a Berth error, or one that your own function threw. */
      readonly error: Error;
    });

type ListOperation = {
  [Id in StorageOperation]: StorageBody<Id> extends { fileList: readonly unknown[] } ? Id : never;
}[StorageOperation];

/** One file in the list that a request contains. */
export type Item<Operation extends ListOperation> = StorageBody<Operation>['fileList'][number];

/** How to read the entries in a response. */
interface ItemRules<Value> {
  /** Returns the start of the error message for a file. */
  readonly what: (name: string) => string;
  /** Whether entries name a file other than the requested one, and have a code only if it failed. */
  readonly isCopy?: boolean;
  /** Returns the values of a successful entry, or `undefined` if one is missing. */
  readonly read: (entry: Record<string, unknown>) => Value | undefined;
}

/** An operation on a list of files of any length. */
interface ListCall<Operation extends ListOperation, Key, Value> extends ItemRules<Value> {
  readonly operation: Operation;
  readonly items: readonly Item<Operation>[];
  /** Returns the fields that identify a file in results and errors. */
  readonly keyOf: (item: Item<Operation>) => Key;
}

/**
 * Calls an operation with a list of any length. Splits it into batches of at most 50 items, and makes 4
 * calls at a time by default (D25).
 *
 * @returns a result for each item, in order
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
      const response = await context.call(operation, body, what(subject), options);
      values = readItems(response, names, list);
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
 * Reads the values or the error for each file. "`code` equal to `SUCCESS` means success for temporary
 * links and delete. For copy, `code` and `message` are present only when that item failed." Entries are
 * in request order (D25), but one that names its file is matched by that name.
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
    if (!isRecord(entry)) return refuse({ message: 'the response has no entry for the file' });
    if (entry.code ? entry.code !== ITEM_SUCCESS : !isCopy) {
      return refuse(entry.code ? entry : { message: 'the response has no code for the file' });
    }
    return read(entry) ?? refuse({ message: 'the response has no valid URL' });
  });
}

/** Returns an ID for an error, with a hint if it is a path. D23 leaves the form of IDs to deployments. */
export function toFileName(fileID: string): string {
  return /^[^:]*[/.]/.test(fileID) ? `${fileID} (a path, not an ID)` : fileID;
}

/**
 * Returns the only result of a list with one file.
 *
 * @throws the file's error
 */
export async function onlyResult<Result extends { readonly error?: Error | undefined }>(
  results: Promise<Result[]>,
): Promise<Exclude<Result, { readonly error: Error }>> {
  const result = (await results)[0] as Result;
  // An abort reason may be any value, even a falsy one.
  if ('error' in result) throw result.error;
  return result as Exclude<Result, { readonly error: Error }>;
}

/** Calls `run` for each item, with at most `limit` calls at a time, and returns the results in order. */
export async function mapLimit<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  assertInteger('concurrency', limit, 1);
  const results: Result[] = [];
  // The workers share one iterator, so that each item is taken once.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}
