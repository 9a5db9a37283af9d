import { UploadError, type UploadHandler } from '@berth/server-stubs';

/**
 * Second step of an upload.
 * TODO: check the grant, write `file` under a provisional name, and publish it once the stream has ended.
 */
export const uploadFile: UploadHandler = async ({ key }) => {
  throw new UploadError('AccessDenied', { message: `There is no grant for ${key}.` });
};
