import {
  BlobExistsError,
  BlobMissingError,
  SourceKeptError,
  StoreUnavailableError,
} from '../../blobs/blob-errors.ts';
import type { BlobInfo } from '../../blobs/blob-store.ts';
import { toFileID } from '../file-id.ts';
import type { StorageContext } from '../storage-context.ts';
import { type CopyFailure, toCopyFailure } from './copy-failure.ts';
import type { Copy } from './to-copy-plan.ts';

/** Where a copy is made, and for whom. */
interface Scope {
  readonly env: string;
  readonly bucket: string;
  readonly caller: string;
  readonly requestId: string;
}

/**
 * Copies or moves one file.
 *
 * D24: "the result's fileID is the destination's". D30: "a failed move leaves the source".
 */
export async function copyFile(
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
    if (!(error instanceof SourceKeptError)) throw error;
    report(error.info);
    context.onError(error, who.requestId);
    const isOutage = error.cause instanceof StoreUnavailableError;
    return toCopyFailure(isOutage ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR', error.message);
  }
  if (move) onChange({ action: 'delete', env, path: from, ...who });
  return { fileID: toFileID(env, bucket, to) };
}
