import { StorageError, type StorageHandler } from '@berth/server-stubs';
import type { Caller } from '../../auth/caller.ts';
import { FilePathError, toFilePath } from '../../blobs/file-path.ts';
import { toFileID } from '../file-id.ts';
import { UPLOAD_PATH } from '../paths.ts';
import { type StorageContext, toScope } from '../storage-context.ts';

/** First step of an upload: a grant for one path, and the address to post the form to. */
export function createGetUploadMetaData(
  context: StorageContext,
): StorageHandler<'getUploadMetaData', Caller> {
  const { grants, limits, publicUrl } = context;
  return ({ path: given }, call) => {
    const { env, bucket } = toScope(call, context);
    const path = toGrantedPath(given);
    const upload = { env, bucket, path, caller: call.caller.id };
    return {
      url: `${publicUrl(call.request)}${UPLOAD_PATH}`,
      ...grants.issue(upload, limits.grantSeconds),
      fileID: toFileID(env, bucket, path),
    };
  };
}

function toGrantedPath(given: string): string {
  try {
    return toFilePath(given);
  } catch (error) {
    if (!(error instanceof FilePathError)) throw error;
    throw new StorageError('INVALID_PARAM', { message: `path ${error.reason}` });
  }
}
