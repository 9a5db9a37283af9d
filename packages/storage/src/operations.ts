import type { StorageCall, StorageHandlers, StorageInput } from '@berth/server-stubs';
import {
  ITEM_SUCCESS,
  LIMITS,
  STORAGE_ERRORS,
  STORAGE_ITEM_ERRORS,
  StorageError,
  type StorageItemCode,
} from '@berth/server-stubs/contract';
import { runBatch } from './batch.ts';
import { type BlobInfo, SourceKeptError } from './blob-store.ts';
import type { StorageContext } from './context.ts';
import type { StorageCaller, StorageLimits } from './options.ts';
import { parseCopyPath, parseFileID, parseFilePath, toFileID } from './paths.ts';
import type { ItemErrorCode } from './store-errors.ts';

type LinkItem = StorageInput<'batchGetTempUrls'>['fileList'][number];
type CopyItem = StorageInput<'batchCopyFile'>['fileList'][number];

/** Creates the operations. Each batch has one result per item, in request order. */
export function createOperations(
  context: StorageContext,
): Required<StorageHandlers<StorageCaller>> {
  const { blobs, links, grants, limits, publicUrl, onChange } = context;
  return {
    async getUploadMetaData({ path: input }, call) {
      const { env, bucket } = toScope(call, context);
      const { path, reason } = parseFilePath(input);
      if (path === undefined) {
        throw new StorageError('INVALID_PARAM', { message: `path ${reason}` });
      }
      const upload = { env, bucket, path, caller: call.caller.id };
      return {
        url: `${publicUrl(call.request)}${context.uploadTarget}`,
        ...(await grants.issue(upload, limits.grantSeconds)),
        fileID: toFileID(env, bucket, path),
      };
    },

    /** `tempFileURL` is empty if there is no link. */
    async batchGetTempUrls({ fileList }, call) {
      const { env, bucket } = toScope(call, context);
      const run = async ({ fileID, maxAge = limits.linkSeconds }: LinkItem) => {
        const path = parseFileID(env, bucket, fileID);
        if (path === undefined || (await blobs.stat({ env, path })) === undefined) {
          return toLinkFailure({ fileID }, 'STORAGE_FILE_NONEXIST');
        }
        if (!isLifetime(maxAge, limits)) return toLinkFailure({ fileID }, 'INVALID_PARAM');
        const link = await links.issue({ env, bucket, path }, maxAge, call.caller.id);
        return { fileID, code: ITEM_SUCCESS, tempFileURL: `${publicUrl(call.request)}${link}` };
      };
      const batch = { filesOf: () => ({}), run, toFailure: toLinkFailure };
      return { fileList: await runBatch(fileList, batch, context, call) };
    },

    /** D30: a missing file is never `SUCCESS`. */
    async batchDelete({ fileList }, call) {
      const { env, bucket } = toScope(call, context);
      const { caller, requestId } = call;
      const filesOf = (fileID: string) => ({ writes: [fileID] });
      const toResult = (fileID: string, code: StorageItemCode) => ({ fileID, code });
      const run = async (fileID: string) => {
        const path = parseFileID(env, bucket, fileID);
        if (path === undefined || !(await blobs.delete({ env, path }))) {
          return toResult(fileID, 'STORAGE_FILE_NONEXIST');
        }
        onChange({ action: 'delete', env, path, caller: caller.id, requestId });
        return toResult(fileID, ITEM_SUCCESS);
      };
      const batch = { filesOf, run, toFailure: toResult };
      return { fileList: await runBatch(fileList, batch, context, call) };
    },

    /** The result is as if the items ran one after another. An invalid item does not affect the others (D24). */
    async batchCopyFile({ fileList }, call) {
      const { caller, requestId } = call;
      const scope = { ...toScope(call, context), caller: caller.id, requestId };
      const batch = {
        filesOf: filesOfCopy,
        run: async (plan: CopyPlan) => ('code' in plan ? plan : copyFile(plan, scope, context)),
        toFailure: (_: CopyPlan, code: ItemErrorCode, message?: string) =>
          toCopyFailure(code, message),
      };
      const plans = fileList.map(toCopyPlan);
      return { fileList: await runBatch(plans, batch, context, call) };
    },
  };
}

/**
 * D30: a storage call for another environment is rejected.
 *
 * @throws StorageError INVALID_ENV or STORAGE_EXCEED_AUTHORITY
 */
function toScope(
  { env, caller }: StorageCall<StorageCaller>,
  { bucketOf }: StorageContext,
): { readonly env: string; readonly bucket: string } {
  if (caller.env !== env) throw new StorageError('STORAGE_EXCEED_AUTHORITY');
  const bucket = bucketOf(env);
  if (bucket !== undefined) return { env, bucket };
  throw new StorageError('INVALID_ENV', { message: `Environment ${env} does not exist.` });
}

function toLinkFailure({ fileID }: LinkItem, code: StorageItemCode) {
  return { fileID, code, tempFileURL: '' };
}

/** Returns whether `maxAge` is a whole number of seconds within the limits (D22). */
function isLifetime(maxAge: number, { linkMaxSeconds }: StorageLimits): boolean {
  return Number.isInteger(maxAge) && maxAge >= LIMITS.linkMinSeconds && maxAge <= linkMaxSeconds;
}

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly overwrite: boolean;
  /** Whether to remove the source afterwards. */
  readonly move: boolean;
}

interface CopyFailure {
  readonly code: ItemErrorCode;
  readonly message: string;
}

type CopyPlan = Copy | CopyFailure;

/** D24: "We reject … a destination equal to the source." Defaults as in the API description. */
function toCopyPlan(item: CopyItem): CopyPlan {
  const { srcPath, dstPath, overwrite = true, removeOriginal = false } = item;
  const toInvalid = (message: string) => toCopyFailure('INVALID_PARAM', message);
  const from = parseCopyPath(srcPath);
  if (from.path === undefined) return toInvalid(`srcPath ${from.reason}`);
  const to = parseCopyPath(dstPath);
  if (to.path === undefined) return toInvalid(`dstPath ${to.reason}`);
  if (from.path === to.path) return toInvalid('dstPath must not be the same file as srcPath.');
  return { from: from.path, to: to.path, overwrite, move: removeOriginal };
}

const MESSAGES = { ...STORAGE_ERRORS, ...STORAGE_ITEM_ERRORS };

function toCopyFailure(code: ItemErrorCode, message: string = MESSAGES[code].message): CopyFailure {
  return { code, message };
}

function filesOfCopy(plan: CopyPlan) {
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
  { env, bucket, ...audit }: Scope,
  { blobs, onChange }: StorageContext,
): Promise<{ fileID: string }> {
  const report = (info: BlobInfo) =>
    onChange({ action: 'copy', env, path: to, from, bytes: info.size, ...audit });
  try {
    report(await blobs.copy({ env, path: from }, { env, path: to }, { overwrite, move }));
  } catch (error) {
    if (error instanceof SourceKeptError) report(error.info);
    throw error;
  }
  if (move) onChange({ action: 'delete', env, path: from, ...audit });
  return { fileID: toFileID(env, bucket, to) };
}
