import type { StorageCallOptions } from './call-options.ts';
import { checkNumber, checkText, invalid } from './checks.ts';
import type { StorageContext } from './context.ts';
import { type Fields, isRecord, type StorageResponse, toText } from './envelope.ts';
import { BerthError } from './errors.ts';
import {
  BATCH_CONCURRENCY,
  BATCH_ITEMS,
  ITEM_SUCCESS,
  LINK_MIN_SECONDS,
  LINK_WARN_SECONDS,
  PUBLIC_LINK_SECONDS,
} from './generated/contract.gen.ts';
import { encodeLink } from './urls.ts';

/**
 * The result for one file of a list: its values, or an `error`. If a call fails, every file in that call gets its
 * error. If the signal aborts, every unfinished file gets the signal's reason as its `error`.
 */
type ItemResult<Key, Value> =
  | (Key & Value & { readonly error?: undefined })
  | (Key & { readonly [Name in keyof Value]?: undefined } & {
      /** Why the file failed: a `BerthError`, or the reason of an abort. */
      readonly error: Error;
    });

type FileResult<Value> = ItemResult<{ readonly fileID: string }, Value>;

/** Options for temporary links. */
export interface TempUrlOptions extends StorageCallOptions {
  /**
   * How long a link is valid, in integer seconds, at least 1. A value above 3600 is sent, with a warning. Default:
   * chosen by the deployment.
   */
  readonly maxAge?: number | undefined;
}

/** The result for one file of a list: a link, or an `error`. */
export type TempUrlResult = FileResult<{
  /** The link, percent-encoded. It grants access to the file, so do not log it. */
  readonly url: string;
}>;

/** The result of deleting one file of a list. It has an `error` if the file was not deleted. */
export type DeleteResult = FileResult<unknown>;

/** A file to copy or move. A leading `/` makes no difference. */
export interface CopyItem {
  /** Path of the existing file. */
  readonly srcPath: string;
  /** Path of the new file. */
  readonly dstPath: string;
}

/** Options for copying or moving files. */
export interface CopyOptions extends StorageCallOptions {
  /** Whether to replace an existing file. Default: `true`. */
  readonly overwrite?: boolean | undefined;
}

/** The result of copying or moving a file. */
interface CopyResult {
  /** ID of the new file; `undefined` if the deployment does not return it. */
  readonly fileID: string | undefined;
}

/** The result of copying or moving one file of a list. It has an `error` if that failed. */
export type CopyListResult = ItemResult<CopyItem, CopyResult>;

/** The methods for stored files. A list may have any length. */
export interface FileMethods {
  /**
   * Returns a temporary link to a file, percent-encoded and ready to fetch.
   *
   * @example
   * const link = await storage.tempUrl(fileID, { maxAge: 600 });
   */
  tempUrl(fileID: string, options?: TempUrlOptions): Promise<string>;
  /**
   * Returns temporary links to a list of files of any length.
   *
   * @example
   * for (const { fileID, url, error } of await storage.tempUrls(ids, { maxAge: 600 })) {
   *   if (error) console.error(error.message);
   *   else show(fileID, url);
   * }
   */
  tempUrls(fileIDs: readonly string[], options?: TempUrlOptions): Promise<TempUrlResult[]>;
  /** Returns a link for public use, which is always valid for 600 seconds. */
  publicUrl(fileID: string, options?: StorageCallOptions): Promise<string>;
  /**
   * Deletes a file, or a list of files of any length. A missing file is an error.
   *
   * @example
   * await storage.delete(fileID);
   * const failed = (await storage.delete(ids)).filter(({ error }) => error);
   */
  delete(fileID: string, options?: StorageCallOptions): Promise<void>;
  delete(fileIDs: readonly string[], options?: StorageCallOptions): Promise<DeleteResult[]>;
  /**
   * Copies a file, or a list of files of any length.
   *
   * @example
   * await storage.copy('/reports/a.txt', '/archive/a.txt', { overwrite: false });
   * const results = await storage.copy([{ srcPath: '/a.txt', dstPath: '/b.txt' }]);
   */
  copy(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  copy(files: readonly CopyItem[], options?: CopyOptions): Promise<CopyListResult[]>;
  /** Moves a file, or a list of files of any length. If a move fails, the source is kept. */
  move(srcPath: string, dstPath: string, options?: CopyOptions): Promise<CopyResult>;
  move(files: readonly CopyItem[], options?: CopyOptions): Promise<CopyListResult[]>;
}

export function createFileMethods(context: StorageContext): FileMethods {
  const tempUrls: FileMethods['tempUrls'] = async (fileIDs, options = {}) => {
    const { maxAge } = options;
    checkNumber('maxAge', maxAge, LINK_MIN_SECONDS, 'an integer');
    const keys = toKeys('fileIDs', fileIDs, toFileKey);
    if (maxAge && maxAge > LINK_WARN_SECONDS) {
      context.onWarning(`maxAge ${maxAge} is above ${LINK_WARN_SECONDS} s: servers may reject it.`);
    }
    return callList(context, 'batchGetTempUrls', keys, options, {
      // JSON omits fields that are `undefined`.
      toItem: ({ fileID }) => ({ fileID, maxAge }),
      toSummary: (fileID) => `No link to ${fileID}`,
      successCode: ITEM_SUCCESS,
      toValues({ tempFileURL }) {
        const url = encodeLink(toText(tempFileURL) ?? '');
        return url === undefined ? undefined : { url };
      },
    });
  };

  const tempUrl: FileMethods['tempUrl'] = async (fileID, options) =>
    (await onlyResult(options, tempUrls([fileID], options))).url;

  const deleteFiles = async (fileIDs: readonly string[], options: StorageCallOptions = {}) =>
    callList(context, 'batchDelete', toKeys('fileIDs', fileIDs, toFileKey), options, {
      toItem: ({ fileID }) => fileID,
      toSummary: (fileID) => `${fileID} was not deleted`,
      successCode: ITEM_SUCCESS,
      toValues: () => ({}),
    });

  // Deployments differ in whether a copy path starts with `/`.
  const root = context.wireProfile.copyPaths === 'relative' ? '' : '/';
  const toPath = (path: string) => root + path.replace(/^\//, '');

  const createCopy = (isMove: boolean) => {
    const copyFiles = async (files: readonly CopyItem[], options: CopyOptions = {}) =>
      callList(context, 'batchCopyFile', toKeys('files', files, toCopyKey), options, {
        toItem: ({ srcPath, dstPath }) => ({
          srcPath: toPath(srcPath),
          dstPath: toPath(dstPath),
          overwrite: options.overwrite,
          removeOriginal: isMove || undefined,
        }),
        toSummary: (name) => `${name} was not ${isMove ? 'moved' : 'copied'}`,
        toValues: ({ fileID }) => ({ fileID: toText(fileID) }),
      });
    return (async (first: string | readonly CopyItem[], second?: unknown, third?: CopyOptions) => {
      if (typeof first !== 'string') return copyFiles(first, second as CopyOptions);
      const file = { srcPath: first, dstPath: second as string };
      return onlyResult(third, copyFiles([file], third));
    }) as FileMethods['copy'];
  };

  return {
    tempUrl,
    tempUrls,
    publicUrl: (fileID, options) => tempUrl(fileID, { ...options, maxAge: PUBLIC_LINK_SECONDS }),
    delete: (async (files: string | readonly string[], options?: StorageCallOptions) => {
      if (typeof files !== 'string') return deleteFiles(files, options);
      await onlyResult(options, deleteFiles([files], options));
    }) as FileMethods['delete'],
    copy: createCopy(false),
    move: createCopy(true),
  };
}

const toFileKey = (fileID: string) => ({ fileID });
const toCopyKey = (file: CopyItem) => ({ srcPath: file?.srcPath, dstPath: file?.dstPath });

/** Returns the fields that identify each file of a list. */
function toKeys<Item, Key extends Readonly<Record<string, string>>>(
  name: string,
  items: readonly Item[],
  toKey: (item: Item) => Key,
): Key[] {
  if (!Array.isArray(items)) throw invalid(name, 'an array', items);
  const keys = items.map(toKey);
  for (const key of keys) for (const field in key) checkText(field, key[field]);
  return keys;
}

/** How to build a file's item in the request and read its entry in the response. */
interface ListRules<Key, Value> {
  readonly toItem: (key: Key) => unknown;
  /** Returns the start of the error message for a file. */
  readonly toSummary: (name: string) => string;
  /** Code of a successful entry. Default: none, as for copies. */
  readonly successCode?: string;
  /** Returns the values of a successful entry, or `undefined` if its link is invalid. */
  readonly toValues: (entry: Fields) => Value | undefined;
}

/**
 * Calls an operation with a list of any length: in batches of the size that a call may have, a few at a time.
 *
 * @param keys the fields that identify each file in results and errors
 * @returns a result for each file, in order
 */
async function callList<Key extends object, Value>(
  context: StorageContext,
  operation: 'batchGetTempUrls' | 'batchDelete' | 'batchCopyFile',
  keys: readonly Key[],
  options: StorageCallOptions,
  rules: ListRules<Key, Value>,
): Promise<ItemResult<Key, Value>[]> {
  const callBatch = async (batch: typeof keys) => {
    const names = batch.map((key) => Object.values(key).join(' to '));
    const name = names.length === 1 ? String(names[0]) : `a list of ${names.length} files`;
    const body = { fileList: batch.map(rules.toItem) };
    const values = await context
      .callOperation(operation, body, rules.toSummary(name), options)
      .then((response) => readEntries(response, names, rules))
      .catch((error: unknown) => names.map(() => ({ error })));
    return batch.map((key, at) => ({ ...key, ...values[at] }) as ItemResult<Key, Value>);
  };
  const batches: (typeof keys)[] = [];
  for (let at = 0; at < keys.length; at += BATCH_ITEMS) {
    batches.push(keys.slice(at, at + BATCH_ITEMS));
  }
  return (await mapConcurrently(batches, callBatch)).flat();
}

/** Returns the values of each file. Entries are in the order of the request, but file IDs take precedence. */
function readEntries<Key, Value>(
  { data, toStorageError }: StorageResponse,
  names: readonly string[],
  { toSummary, toValues, successCode }: ListRules<Key, Value>,
): (Value | { error: unknown })[] {
  const entries: unknown[] = Array.isArray(data.fileList) ? data.fileList : [];
  const ids = entries.map((entry) => (isRecord(entry) ? entry.fileID : undefined));
  return names.map((name, index) => {
    let at = ids[index] === name ? index : ids.indexOf(name);
    // A deployment may return no ID, or rewrite it. Such an entry is matched by position, but not in a shorter list.
    const isNamed = names.includes(ids[index] as string);
    if (at < 0 && !isNamed && entries.length === names.length) at = index;
    const entry = entries[at];
    const fail = (part: Fields) => ({ error: toStorageError(toSummary(name), part) });
    if (!isRecord(entry)) return fail({ message: 'the response has no entry for the file' });
    if ((entry.code || undefined) !== successCode) return fail(entry);
    return toValues(entry) ?? fail({ message: 'the response has no valid URL' });
  });
}

/** Returns the result of a list with one file, or throws its error. */
async function onlyResult<Result extends { readonly error?: Error | undefined }>(
  options: StorageCallOptions | undefined,
  results: Promise<Result[]>,
): Promise<Exclude<Result, { readonly error: Error }>> {
  const [result] = await results;
  // The reason of an abort may be any value, even a falsy one.
  if (!result || !('error' in result)) return result as Exclude<Result, { readonly error: Error }>;
  // Lets the error show the line of the caller. The reason of an abort is the caller's, and is not modified.
  if (result.error instanceof BerthError && !options?.signal?.aborted) {
    Error.captureStackTrace?.(result.error, onlyResult);
  }
  throw result.error;
}

/** Calls `run` for each item, a few at a time, and returns the results in order. */
export async function mapConcurrently<T, R>(items: readonly T[], run: (item: T) => Promise<R>) {
  const results: R[] = [];
  // The workers share one iterator, so that each item is taken once.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: BATCH_CONCURRENCY }, work));
  return results;
}
