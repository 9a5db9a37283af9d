import type { StorageHandler, StorageItemCode } from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../../auth/caller.ts';
import { runBatch } from '../batch/run-batch.ts';
import { toPathOfFileID } from '../file-id.ts';
import { type StorageContext, toScope } from '../storage-context.ts';

/** Deletes files. One entry an item, in request order; D30: "a missing file is never `SUCCESS`". */
export function createBatchDelete(context: StorageContext): StorageHandler<'batchDelete', Caller> {
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
