import type { StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * Deletes each file.
 * TODO: until there is a store, no file exists.
 */
export const batchDelete: StorageHandler<'batchDelete', Caller> = async ({ fileList }) => ({
  fileList: fileList.map((fileID) => ({ fileID, code: 'STORAGE_FILE_NONEXIST' })),
});
