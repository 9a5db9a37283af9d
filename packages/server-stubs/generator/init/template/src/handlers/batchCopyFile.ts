import type { StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * Copies each file, or moves it if `removeOriginal` is set.
 * TODO: implement a file store. Until then, no file exists.
 */
export const batchCopyFile: StorageHandler<'batchCopyFile', Caller> = async ({ fileList }) => ({
  fileList: fileList.map(({ srcPath }) => ({
    code: 'STORAGE_FILE_NONEXIST',
    message: `${srcPath} does not exist.`,
  })),
});
