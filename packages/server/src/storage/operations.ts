import {
  StorageError,
  type StorageHandler,
  type StorageHandlers,
  type StorageInput,
  type StorageItemCode,
} from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../auth/caller.ts';
import { FilePathError, toFilePath } from '../blobs/file-path.ts';
import { createBatchCopyFile } from './copy-files.ts';
import { toFileID, toPathOfFileID, UPLOAD_PATH } from './paths.ts';
import { runBatch } from './run-batch.ts';
import { type StorageContext, type StorageLimits, toScope } from './storage-context.ts';

/** The handlers of the storage API. */
export function createOperations(context: StorageContext): StorageHandlers<Caller> {
  return {
    getUploadMetaData: createGetUploadMetaData(context),
    batchGetTempUrls: createBatchGetTempUrls(context),
    batchDelete: createBatchDelete(context),
    batchCopyFile: createBatchCopyFile(context),
  };
}

/** Deletes files. One entry an item, in request order; D30: "a missing file is never `SUCCESS`". */
function createBatchDelete(context: StorageContext): StorageHandler<'batchDelete', Caller> {
  const { blobs, onChange } = context;
  return async ({ fileList }, call) => {
    const { env, bucket } = toScope(call, context);
    const { caller, requestId } = call;
    const run = async (fileID: string): Promise<{ fileID: string; code: StorageItemCode }> => {
      const path = toPathOfFileID(env, bucket, fileID);
      if (path === undefined || !(await blobs.delete({ env, path }))) {
        return { fileID, code: 'STORAGE_FILE_NONEXIST' };
      }
      onChange({ action: 'delete', env, path, caller: caller.id, requestId });
      return { fileID, code: defaults.itemCodes.success };
    };
    const batch = {
      touches: (fileID: string) => ({ writes: [fileID] }),
      run,
      toFailed: (fileID: string, code: StorageItemCode) => ({ fileID, code }),
    };
    return { fileList: await runBatch(fileList, batch, context, requestId) };
  };
}

type Item = StorageInput<'batchGetTempUrls'>['fileList'][number];

/** Links to files. One entry an item, in request order; `tempFileURL` is empty where there is no link. */
function createBatchGetTempUrls(
  context: StorageContext,
): StorageHandler<'batchGetTempUrls', Caller> {
  const { blobs, links, limits, publicUrl } = context;
  return async ({ fileList }, call) => {
    const { env, bucket } = toScope(call, context);
    const run = async ({ fileID, maxAge = limits.linkSeconds }: Item) => {
      const path = toPathOfFileID(env, bucket, fileID);
      if (path === undefined || (await blobs.stat({ env, path })) === undefined) {
        return noLink(fileID, 'STORAGE_FILE_NONEXIST');
      }
      if (!isLifetime(maxAge, limits)) return noLink(fileID, 'INVALID_PARAM');
      const tempFileURL = `${publicUrl(call.request)}${links.issue({ env, bucket, path }, maxAge)}`;
      return { fileID, code: defaults.itemCodes.success, tempFileURL };
    };
    const batch = {
      touches: () => ({}),
      run,
      toFailed: ({ fileID }: Item, code: StorageItemCode) => noLink(fileID, code),
    };
    return { fileList: await runBatch(fileList, batch, context, call.requestId) };
  };
}

function noLink(fileID: string, code: StorageItemCode) {
  return { fileID, code, tempFileURL: '' };
}

/** D22: "`maxAge` is whole seconds, 1 to 604800". */
function isLifetime(maxAge: number, { linkMinSeconds, linkMaxSeconds }: StorageLimits): boolean {
  return Number.isInteger(maxAge) && maxAge >= linkMinSeconds && maxAge <= linkMaxSeconds;
}

/** First step of an upload: a grant for one path, and the address to post the form to. */
function createGetUploadMetaData(
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
