import { StorageError, type StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * First step of an upload. TODO: return the URL of `/upload` and a grant for this path, which
 * `uploadFile` then verifies.
 */
export const getUploadMetaData: StorageHandler<'getUploadMetaData', Caller> = async ({ path }) => {
  throw new StorageError('SERVICE_UNAVAILABLE', {
    message: `Cannot upload ${path}: uploads are not implemented yet.`,
  });
};
