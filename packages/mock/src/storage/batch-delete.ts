import { itemCodes } from '../contract/defaults.ts';
import { toKeyOfFileID } from '../files/file-id.ts';
import { checkBatch } from './check-batch.ts';
import type { StorageOperation } from './storage-operation.ts';

/** Deletes files. One entry an item, in request order; D30: "a missing file is never `SUCCESS`". */
export const batchDelete: StorageOperation<{ fileList: string[] }> = (
  request,
  _,
  { env, store },
) => {
  checkBatch(request);
  return {
    fileList: request.fileList.map((fileID) => {
      const key = toKeyOfFileID(env, fileID);
      const deleted = key !== undefined && store.delete(key);
      return { fileID, code: deleted ? itemCodes.success : 'STORAGE_FILE_NONEXIST' };
    }),
  };
};
