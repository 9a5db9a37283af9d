import type { StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * Copies each file, or moves it with `removeOriginal`.
 * TODO: until there is a store, no file exists.
 */
export const batchCopyFile: StorageHandler<'batchCopyFile', Caller> = async ({ fileList }) => ({
  fileList: fileList.map(({ srcPath }) => ({
    code: 'STORAGE_FILE_NONEXIST',
    message: `${srcPath} does not exist.`,
  })),
});
