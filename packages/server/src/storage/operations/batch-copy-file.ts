import type { StorageHandler, StorageInput } from '@berth/server-stubs';
import type { Caller } from '../../auth/caller.ts';
import { runBatch } from '../batch/run-batch.ts';
import { type StorageContext, toScope } from '../storage-context.ts';
import { toCopyFailure } from './copy-failure.ts';
import { copyFile } from './copy-file.ts';
import { type CopyPlan, toCopyPlan } from './to-copy-plan.ts';

type Item = StorageInput<'batchCopyFile'>['fileList'][number];

/**
 * Copies and moves files, with the outcome of one after the other in request order.
 *
 * D24: "each bad item fails alone with `code` and `message`, a good one carries neither".
 */
export function createBatchCopyFile(
  context: StorageContext,
): StorageHandler<'batchCopyFile', Caller> {
  return async ({ fileList }, call) => {
    const { caller, requestId } = call;
    const scope = { ...toScope(call, context), caller: caller.id, requestId };
    const batch = {
      touches: toTouched,
      run: async (plan: CopyPlan) => ('code' in plan ? plan : copyFile(plan, scope, context)),
      toFailed: (_: CopyPlan, code: string) => toCopyFailure(code),
    };
    const plans = fileList.map((item: Item) => toCopyPlan(item));
    return { fileList: await runBatch(plans, batch, context, requestId) };
  };
}

function toTouched(plan: CopyPlan) {
  if ('code' in plan) return {};
  const { from, to, move } = plan;
  return move ? { writes: [from, to] } : { reads: [from], writes: [to] };
}
