import { StorageError, type StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * First step of an upload.
 * TODO: return the address of `/upload` and a grant for this one path, which `uploadFile` checks.
 */
export const getUploadMetaData: StorageHandler<'getUploadMetaData', Caller> = async ({ path }) => {
  throw new StorageError('SERVICE_UNAVAILABLE', { message: `${path} cannot be uploaded yet.` });
};
