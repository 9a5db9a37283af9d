import { UploadError, type UploadHandler } from '@berth/server-stubs';

/**
 * Second step of an upload.
 * TODO: verify the grant, write `file` to a temporary name, and rename it once the stream has ended.
 */
export const uploadFile: UploadHandler = async ({ key }) => {
  throw new UploadError('AccessDenied', { message: `No grant was issued for ${key}.` });
};
