import type { WireProfile } from '@berth/spec/wire-profile';
import {
  BATCH_CONCURRENCY,
  BATCH_ITEMS,
  ITEM_SUCCESS,
  LINK_MIN_SECONDS,
  LINK_WARN_SECONDS,
} from '../generated/contract.gen.ts';
import { assertInteger, assertList, assertText, isRecord } from '../internal/options.ts';
import type {
  StorageBody,
  StorageCallOptions,
  StorageContext,
  StorageOperation,
} from '../internal/storage.ts';
import { encodeLink } from '../internal/urls.ts';

/**
 * The result for one file in a list: its values, or an `error`. A failed file does not affect the others. If
 * an entire call fails, every file in that call gets its error. If the signal aborts, every unfinished file
 * gets the signal's reason as its `error`.
 */
type ItemResult<Key, Value> =
  | (Key &
      Value & {
        /** Absent if the file succeeded. */
        readonly error?: undefined;
      })
  | (Key & { readonly [Name in keyof Value]?: undefined } & {
      /** Why the file failed: a Berth error, or one that your own function threw. */
      readonly error: Error;
    });

interface FileKey {
  /** ID of the file, as passed. */
  readonly fileID: string;
}

/**
 * Options for temporary links.
 *
 * @example
 * const link = await storage.tempUrl(fileID, { maxAge: 600, timeouts: { total: 5_000 } });
 */
export interface TempUrlOptions extends StorageCallOptions {
  /**
   * How long a link is valid, in whole seconds, at least 1. A value above 3600 is sent, but causes a
   * warning (D22). Default: chosen by the deployment.
   */
  readonly maxAge?: number | undefined;
}

/** The result for one file in a list: a link that you can pass to `fetch`, or an `error`. */
export type TempUrlResult = ItemResult<
  FileKey,
  {
    /**
     * The percent-encoded link; `undefined` if there is an `error`. It grants access to the file, so do
     * not log it.
     */
    readonly url: string;
  }
>;

export async function tempUrls(
  context: StorageContext,
  fileIDs: readonly string[],
  { maxAge, ...options }: TempUrlOptions = {},
): Promise<TempUrlResult[]> {
  assertFileIDs(fileIDs);
  // "The lifetime value must be an integer of at least 1; values above 3600 produce a warning."
  assertInteger('maxAge', maxAge, LINK_MIN_SECONDS);
  if (maxAge && maxAge > LINK_WARN_SECONDS) {
    context.onWarning(
      `maxAge ${maxAge} is above ${LINK_WARN_SECONDS} s, which the server may not accept.`,
    );
  }
  // JSON omits fields that are `undefined`.
  const items = fileIDs.map((fileID) => ({ fileID, maxAge }) as Item<'batchGetTempUrls'>);
  return callList(context, 'batchGetTempUrls', items, options, {
    keyOf: ({ fileID }) => ({ fileID }),
    what: (name) => `No link to ${toFileName(name)}`,
    read: ({ tempFileURL }) => {
      const url = encodeLink(String(tempFileURL));
      return url ? { url } : undefined;
    },
  });
}

export async function tempUrl(
  context: StorageContext,
  fileID: string,
  options: TempUrlOptions = {},
): Promise<string> {
  return (await onlyResult(tempUrls(context, [fileID], options))).url;
}

/** The result of deleting one file in a list. If the deletion failed, the result has an `error`. */
export type DeleteResult = ItemResult<FileKey, unknown>;

export async function deleteFiles(
  context: StorageContext,
  fileIDs: readonly string[],
  options: StorageCallOptions = {},
): Promise<DeleteResult[]> {
  assertFileIDs(fileIDs);
  return callList(context, 'batchDelete', fileIDs, options, {
    keyOf: (fileID) => ({ fileID }),
    what: (name) => `${toFileName(name)} was not deleted`,
    read: () => ({}),
  });
}

function assertFileIDs(fileIDs: unknown): void {
  assertList('fileIDs', fileIDs);
  for (const fileID of fileIDs) assertText('fileID', fileID);
}

/**
 * Options for copying or moving files.
 *
 * @example
 * await storage.copy('/a.txt', '/b.txt', { overwrite: false });
 */
export interface CopyOptions extends StorageCallOptions {
  /** Whether to replace an existing file. Default: `true`, as the contract says. */
  readonly overwrite?: boolean | undefined;
}

/** A file to copy or move. Paths may have a leading `/`; the client sends them as the deployment expects. */
export interface CopyItem {
  /** Path of the existing file. */
  readonly srcPath: string;
  /** Path of the new file. */
  readonly dstPath: string;
}

/** The result of copying or moving a file. */
export interface CopyResult {
  /** ID of the new file; `undefined` if the deployment does not return it. */
  readonly fileID: string | undefined;
}

/**
 * The result of copying or moving one file in a list. If the copy or move failed, the result has an `error`.
 */
export type CopyListResult = ItemResult<CopyItem, CopyResult>;

export async function copyFiles(
  context: StorageContext,
  files: readonly CopyItem[],
  { overwrite, ...options }: CopyOptions = {},
  isMove = false,
): Promise<CopyListResult[]> {
  assertList('files', files);
  const removeOriginal = isMove || undefined;
  const items = files.map((file) => {
    const { srcPath, dstPath } = file ?? {};
    assertText('srcPath', srcPath);
    assertText('dstPath', dstPath);
    return { srcPath, dstPath, overwrite, removeOriginal } as Item<'batchCopyFile'>;
  });
  const { copyPaths } = context.wireProfile;
  return callList(context, 'batchCopyFile', items, options, {
    keyOf: ({ srcPath, dstPath }) => ({ srcPath, dstPath }),
    what: (name) => `Not ${isMove ? 'moved' : 'copied'}: ${name}`,
    isCopy: true,
    toWire: (item) => ({
      ...item,
      srcPath: toCopyPath(item.srcPath, copyPaths),
      dstPath: toCopyPath(item.dstPath, copyPaths),
    }),
    read: ({ fileID }) => ({ fileID: typeof fileID === 'string' ? fileID : undefined }),
  });
}

/** D24: deployments differ in whether a copy path has a leading `/`, which the wire profile says. */
function toCopyPath(path: string, spelling: WireProfile['copyPaths']): string {
  const relative = path.replace(/^\//, '');
  return spelling === 'relative' ? relative : `/${relative}`;
}

type ListOperation = {
  [Id in StorageOperation]: StorageBody<Id> extends { fileList: readonly unknown[] } ? Id : never;
}[StorageOperation];

/** One file in the list that a request contains. */
type Item<Operation extends ListOperation> = StorageBody<Operation>['fileList'][number];

/** How to name the files, and how to read the entries in a response. */
interface ItemRules<Item, Key, Value> {
  /** Returns the fields that identify a file in results and errors. */
  readonly keyOf: (item: Item) => Key;
  /** Returns the start of the error message for a file. */
  readonly what: (name: string) => string;
  /** Converts a file to the form that the deployment expects. Default: as it is. */
  readonly toWire?: (item: Item) => Item;
  /** Whether entries name a file other than the requested one, and have a code only if it failed. */
  readonly isCopy?: boolean;
  /** Returns the values of a successful entry, or `undefined` if one is missing. */
  readonly read: (entry: Record<string, unknown>) => Value | undefined;
}

/**
 * Calls an operation with a list of any length. Splits it into batches that a call may have, and makes 4 calls
 * at a time (D25).
 *
 * "`code` equal to `SUCCESS` means success for temporary links and delete. For copy, `code` and `message`
 * are present only when that item failed." Entries are in request order (D25), but one that names its file
 * is matched by that name.
 *
 * @returns a result for each item, in order
 */
async function callList<Operation extends ListOperation, Key extends object, Value>(
  context: StorageContext,
  operation: Operation,
  items: readonly Item<Operation>[],
  options: StorageCallOptions,
  { keyOf, what, isCopy, toWire = (item) => item, read }: ItemRules<Item<Operation>, Key, Value>,
): Promise<ItemResult<Key, Value>[]> {
  const callBatch = async (batch: typeof items) => {
    const keys = batch.map(keyOf);
    const names = keys.map((key) => Object.values(key).join(' to '));
    const subject = names.length > 1 ? `a list of ${names.length} files` : (names[0] as string);
    let toValue: (name: string, index: number) => Value | { error: Error };
    try {
      const body = { fileList: batch.map(toWire) } as StorageBody<Operation>;
      const { data, fail } = await context.call(operation, body, what(subject), options);
      const entries: unknown[] = Array.isArray(data.fileList) ? data.fileList : [];
      const ids = entries.map((entry) => (isRecord(entry) && !isCopy ? entry.fileID : undefined));
      toValue = (name, index) => {
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
      };
    } catch (error) {
      toValue = () => ({ error: error as Error });
    }
    return keys.map((key, index) => {
      return { ...key, ...toValue(names[index] as string, index) } as ItemResult<Key, Value>;
    });
  };
  const batches = Array.from({ length: Math.ceil(items.length / BATCH_ITEMS) }, (_, index) =>
    items.slice(index * BATCH_ITEMS, (index + 1) * BATCH_ITEMS),
  );
  return (await mapLimit(batches, callBatch)).flat();
}

/** Returns an ID for an error, with a hint if it is a path. D23 leaves the form of IDs to deployments. */
function toFileName(fileID: string): string {
  return /^[^:]*[/.]/.test(fileID) ? `${fileID} (a path, not an ID)` : fileID;
}

export async function onlyResult<Result extends { readonly error?: Error | undefined }>(
  results: Promise<Result[]>,
): Promise<Exclude<Result, { readonly error: Error }>> {
  const result = (await results)[0] as Result;
  // An abort reason may be any value, even a falsy one.
  if ('error' in result) throw result.error;
  return result as Exclude<Result, { readonly error: Error }>;
}

/** Calls `run` for each item, a few at a time (D25), and returns the results in order. */
export async function mapLimit<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // The workers share one iterator, so that each item is taken once.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: BATCH_CONCURRENCY }, work));
  return results;
}
