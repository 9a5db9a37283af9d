import { callList } from '../internal/call-list.ts';
import { assertList, assertText } from '../internal/options.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import type { ItemResult, ListOptions } from './list-options.ts';

/** What became of one file of a list: deleted, or its `error`. */
export type DeleteResult = ItemResult<
  {
    /** ID of the file, as it was given. */
    readonly fileID: string;
  },
  unknown
>;

/** Deletes a list of files. */
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
      what: (name) => `${name} was not deleted`,
      read: () => ({}),
    },
    options,
  );
}
