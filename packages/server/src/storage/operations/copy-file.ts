import {
  BlobExistsError,
  BlobMissingError,
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
  let info: BlobInfo;
  try {
    info = await blobs.copy(source, { env, path: to }, { overwrite });
  } catch (error) {
    if (error instanceof BlobMissingError) return toCopyFailure('STORAGE_FILE_NONEXIST');
    if (error instanceof BlobExistsError) return toCopyFailure('OBJECT_ALREADY_EXIST');
    throw error;
  }
  onChange({ action: 'copy', env, path: to, from, bytes: info.size, ...who });
  if (!move) return { fileID: toFileID(env, bucket, to) };
  try {
    // A source that was replaced in the meantime came after the move, and D28 forbids to lose it.
    if (await blobs.delete(source, { ifEtag: info.etag })) {
      onChange({ action: 'delete', env, path: from, ...who });
    }
    return { fileID: toFileID(env, bucket, to) };
  } catch (error) {
    context.onError(error, who.requestId);
    const code = error instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR';
    return toCopyFailure(code, 'The file was copied, but its source could not be removed.');
  }
}
