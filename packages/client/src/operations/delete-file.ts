import { singleItem } from '../internal/single-item.ts';
import type { StorageContext } from '../internal/storage-context.ts';

/** Deletes one file. */
export async function deleteFile(
  { call }: StorageContext,
  fileID: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const what = `${fileID} was not deleted`;
  const path = '/api/v2/envs/{envId}/storages:batchDelete';
  singleItem(await call(path, { fileList: [fileID] }, what, signal), what, 'code');
}
