import type { StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * Deletes each file.
 * TODO: implement a file store. Until then, no file exists.
 */
export const batchDelete: StorageHandler<'batchDelete', Caller> = async ({ fileList }) => ({
  fileList: fileList.map((fileID) => ({ fileID, code: 'STORAGE_FILE_NONEXIST' })),
});
