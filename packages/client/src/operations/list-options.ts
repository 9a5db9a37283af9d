import type { StorageCallOptions } from '../internal/storage-context.ts';

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
