import { StorageError, type StorageItemCode } from '../errors.ts';
import { ITEM_SUCCESS } from '../generated/contract.gen.ts';
import type { StorageData, StorageHandlers, StorageInput } from '../storage/storage-handlers.ts';
import { createBatchCopyFile } from './copy-files.ts';
import { FilePathError, toFileID, toFilePath, toPathOfFileID } from './file-path.ts';
import { runBatch } from './run-batch.ts';
import {
  type OperationCall,
  type StorageCaller,
  type StorageContext,
  type StorageLimits,
  toScope,
} from './storage-context.ts';

export function createOperations(
  context: StorageContext,
): Required<StorageHandlers<StorageCaller>> {
  return {
    getUploadMetaData: createGetUploadMetaData(context),
    batchGetTempUrls: createBatchGetTempUrls(context),
    batchDelete: createBatchDelete(context),
    batchCopyFile: createBatchCopyFile(context),
  };
}

/** Deletes files. Returns one entry per item, in request order. D30: a missing file is never `SUCCESS`. */
function createBatchDelete(context: StorageContext) {
  const { blobs, onChange } = context;
  return async (
    { fileList }: StorageInput<'batchDelete'>,
    call: OperationCall,
  ): Promise<StorageData<'batchDelete'>> => {
    const { env, bucket } = toScope(call, context);
    const { caller, requestId } = call;
    const run = async (fileID: string): Promise<{ fileID: string; code: StorageItemCode }> => {
      const path = toPathOfFileID(env, bucket, fileID);
      if (path === undefined || !(await blobs.delete({ env, path }))) {
        return { fileID, code: 'STORAGE_FILE_NONEXIST' };
      }
      onChange({ action: 'delete', env, path, caller: caller.id, requestId });
      return { fileID, code: ITEM_SUCCESS };
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

/** `tempFileURL` is empty if there is no link. */
function createBatchGetTempUrls(context: StorageContext) {
  const { blobs, links, limits, publicUrl, authorizeUse } = context;

  return async (
    { fileList }: StorageInput<'batchGetTempUrls'>,
    call: OperationCall,
  ): Promise<StorageData<'batchGetTempUrls'>> => {
    const { env, bucket } = toScope(call, context);
    const by = authorizeUse && call.caller.id;
    const run = async ({ fileID, maxAge = limits.linkSeconds }: Item) => {
      const path = toPathOfFileID(env, bucket, fileID);
      if (path === undefined || (await blobs.stat({ env, path })) === undefined) {
        return noLink(fileID, 'STORAGE_FILE_NONEXIST');
      }
      if (!isLifetime(maxAge, limits)) return noLink(fileID, 'INVALID_PARAM');
      const link = await links.issue({ env, bucket, path }, maxAge, by);
      const tempFileURL = `${publicUrl(call.request)}${link}`;
      return { fileID, code: ITEM_SUCCESS, tempFileURL };
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

/** Returns whether `maxAge` is a whole number of seconds within the limits (D22). */
function isLifetime(maxAge: number, { linkMinSeconds, linkMaxSeconds }: StorageLimits): boolean {
  return Number.isInteger(maxAge) && maxAge >= linkMinSeconds && maxAge <= linkMaxSeconds;
}

function createGetUploadMetaData(context: StorageContext) {
  const { grants, limits, publicUrl, uploadTarget } = context;
  return async (
    { path: given }: StorageInput<'getUploadMetaData'>,
    call: OperationCall,
  ): Promise<StorageData<'getUploadMetaData'>> => {
    const { env, bucket } = toScope(call, context);
    const path = toGrantedPath(given);
    const upload = { env, bucket, path, caller: call.caller.id };
    return {
      url: `${publicUrl(call.request)}${uploadTarget}`,
      ...(await grants.issue(upload, limits.grantSeconds)),
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
