import { assertList, assertText } from '../internal/options.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import { callList, type Item, type ItemResult, type ListOptions, toFileName } from './list-call.ts';

interface Overwrite {
  /** Whether to replace an existing file. Default: `true`, as the contract says. */
  readonly overwrite?: boolean | undefined;
}

/**
 * Options for copying or moving a file.
 *
 * @example
 * await storage.copy('/a.txt', '/b.txt', { overwrite: false });
 */
export interface CopyOptions extends StorageCallOptions, Overwrite {}

/**
 * Options for copying or moving files. `overwrite` applies to every file for which it is not set separately.
 *
 * @example
 * await storage.move(orders, { overwrite: false, concurrency: 2, signal });
 */
export interface CopyListOptions extends ListOptions, Overwrite {}

/** A file to copy or move. Paths are absolute, with a leading `/` (D24). */
export interface CopyOrder extends Overwrite {
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
export type CopyListResult = ItemResult<Pick<CopyOrder, 'srcPath' | 'dstPath'>, CopyResult>;

/** Copies a list of files, or moves them if `removeOriginal` is set. */
export async function copyFiles(
  context: StorageContext,
  orders: readonly CopyOrder[],
  { overwrite: common, ...options }: CopyListOptions = {},
  removeOriginal = false,
): Promise<CopyListResult[]> {
  assertList('files', orders);
  for (const order of orders) {
    assertText('srcPath', order?.srcPath);
    assertText('dstPath', order?.dstPath);
  }
  return callList(
    context,
    {
      operation: 'batchCopyFile',
      // JSON omits `undefined`.
      items: orders.map(({ srcPath, dstPath, overwrite = common }) => ({
        srcPath,
        dstPath,
        overwrite,
        removeOriginal: removeOriginal || undefined,
      })) as Item<'batchCopyFile'>[],
      keyOf: ({ srcPath, dstPath }) => ({ srcPath, dstPath }),
      what: (name) => `Not ${removeOriginal ? 'moved' : 'copied'}: ${name}`,
      isCopy: true,
      read: ({ fileID }) => ({ fileID: typeof fileID === 'string' ? fileID : undefined }),
    },
    options,
  );
}

/** The result of deleting one file in a list. If the deletion failed, the result has an `error`. */
export type DeleteResult = ItemResult<
  {
    /** ID of the file, as passed. */
    readonly fileID: string;
  },
  unknown
>;

export async function deleteFiles(
  context: StorageContext,
  fileIDs: readonly string[],
  options: ListOptions = {},
): Promise<DeleteResult[]> {
  assertList('fileIDs', fileIDs);
  for (const fileID of fileIDs) assertText('fileID', fileID);
  return callList(
    context,
    {
      operation: 'batchDelete',
      items: fileIDs,
      keyOf: (fileID) => ({ fileID }),
      what: (name) => `${toFileName(name)} was not deleted`,
      read: () => ({}),
    },
    options,
  );
}
