import type { StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/** Returns a link to each file. TODO: implement a file store. Until then, no file exists. */
export const batchGetTempUrls: StorageHandler<'batchGetTempUrls', Caller> = async ({
  fileList,
}) => ({
  fileList: fileList.map(({ fileID }) => ({
    fileID,
    code: 'STORAGE_FILE_NONEXIST',
    tempFileURL: '',
  })),
});
