import type { StorageHandler, StorageInput, StorageItemCode } from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../../auth/caller.ts';
import { runBatch } from '../batch/run-batch.ts';
import { toPathOfFileID } from '../file-id.ts';
import { type StorageContext, toScope } from '../storage-context.ts';
import type { StorageLimits } from '../storage-options.ts';

type Item = StorageInput<'batchGetTempUrls'>['fileList'][number];

/** Links to files. One entry an item, in request order; `tempFileURL` is empty where there is no link. */
export function createBatchGetTempUrls(
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
