import type { StorageOperation } from '../../trial/storage-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/** Fields that every deployment must accept, for each operation. They name files that do not exist. */
export type GoodFields = Record<StorageOperation, Record<string, unknown>>;

/**
 * Makes them with a file ID of the deployment, so that it has no reason to refuse a call for its form.
 * Where no file ID can be had, the check is not reached.
 */
export async function makeGoodFields(t: Trial): Promise<GoodFields> {
  const path = t.storage.path('missing.txt');
  const fileID = await t.upload.fileIdOf(path);
  const srcPath = t.storage.copyPath(path);
  const dstPath = t.storage.copyPath(t.storage.path('copy.txt'));
  return {
    getUploadMetaData: { path },
    batchGetTempUrls: { fileList: [{ fileID }] },
    batchDelete: { fileList: [fileID] },
    batchCopyFile: { fileList: [{ srcPath, dstPath, overwrite: false, removeOriginal: false }] },
  };
}
