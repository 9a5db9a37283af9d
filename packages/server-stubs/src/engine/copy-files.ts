import type { StorageItemCode } from '../errors.ts';
import type { StorageData, StorageInput } from '../storage/storage-handlers.ts';
import {
  BlobExistsError,
  type BlobInfo,
  BlobMissingError,
  SourceKeptError,
  StoreFullError,
  StoreUnavailableError,
} from './blob-store.ts';
import { FilePathError, toCopyPath, toFileID } from './file-path.ts';
import { runBatch } from './run-batch.ts';
import { messageOf, type OperationCall, type StorageContext, toScope } from './storage-context.ts';

type Item = StorageInput<'batchCopyFile'>['fileList'][number];

/**
 * The result is the same as if the items were processed one by one, in request order. An invalid item does
 * not affect the others (D24).
 */
export function createBatchCopyFile(context: StorageContext) {
  return async (
    { fileList }: StorageInput<'batchCopyFile'>,
    call: OperationCall,
  ): Promise<StorageData<'batchCopyFile'>> => {
    const { caller, requestId } = call;
    const scope = { ...toScope(call, context), caller: caller.id, requestId };
    const batch = {
      touches: toTouched,
      run: async (plan: CopyPlan) => ('code' in plan ? plan : copyFile(plan, scope, context)),
      toFailed: (_: CopyPlan, code: string) => toCopyFailure(code),
    };
    const plans = fileList.map((item) => toCopyPlan(item, context));
    return { fileList: await runBatch(plans, batch, context, requestId) };
  };
}

function toTouched(plan: CopyPlan) {
  if ('code' in plan) return {};
  const { from, to, move } = plan;
  return move ? { writes: [from, to] } : { reads: [from], writes: [to] };
}

interface Scope {
  readonly env: string;
  readonly bucket: string;
  readonly caller: string;
  readonly requestId: string;
}

/** The resulting `fileID` is the destination's (D24). A failed move leaves the source (D30). */
async function copyFile(
  { from, to, overwrite, move }: Copy,
  { env, bucket, ...who }: Scope,
  context: StorageContext,
): Promise<CopyFailure | { fileID: string }> {
  const { blobs, onChange } = context;
  const source = { env, path: from };
  const report = (info: BlobInfo) =>
    onChange({ action: 'copy', env, path: to, from, bytes: info.size, ...who });
  try {
    report(await blobs.copy(source, { env, path: to }, { overwrite, move }));
  } catch (error) {
    if (error instanceof BlobMissingError) return toCopyFailure('STORAGE_FILE_NONEXIST');
    if (error instanceof BlobExistsError) return toCopyFailure('OBJECT_ALREADY_EXIST');
    if (error instanceof StoreFullError) return invalidCopy(error.message);
    if (!(error instanceof SourceKeptError)) throw error;
    report(error.info);
    context.onError(error, who.requestId);
    const isOutage = error.cause instanceof StoreUnavailableError;
    return toCopyFailure(isOutage ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR', error.message);
  }
  if (move) onChange({ action: 'delete', env, path: from, ...who });
  return { fileID: toFileID(env, bucket, to) };
}

interface CopyFailure {
  readonly code: StorageItemCode;
  readonly message: string;
}

function toCopyFailure(code: StorageItemCode, message = messageOf(code)): CopyFailure {
  return { code, message };
}

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
  /** Whether to remove the source afterwards. */
  readonly move: boolean;
}

type CopyPlan = Copy | CopyFailure;

/**
 * D24: "source ≠ destination". From the API description: `overwrite` "default true", `removeOriginal`
 * "default false".
 */
function toCopyPlan(
  { srcPath, dstPath, overwrite = true, removeOriginal = false }: Item,
  { copyPattern }: StorageContext,
): CopyPlan {
  const from = toPath('srcPath', srcPath, copyPattern('srcPath'));
  if (typeof from !== 'string') return from;
  const to = toPath('dstPath', dstPath, copyPattern('dstPath'));
  if (typeof to !== 'string') return to;
  if (from === to) return invalidCopy('dstPath must not be the same file as srcPath.');
  return { from, to, overwrite, move: removeOriginal };
}

function toPath(field: string, given: string, pattern: RegExp | undefined): string | CopyFailure {
  try {
    return toCopyPath(given, pattern);
  } catch (error) {
    if (!(error instanceof FilePathError)) throw error;
    return invalidCopy(`${field} ${error.reason}`);
  }
}

function invalidCopy(message: string): CopyFailure {
  return toCopyFailure('INVALID_PARAM', message);
}
