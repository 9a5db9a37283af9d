import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { StoreFullError } from '@berth/storage';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
  SourceKeptError,
} from './blob-store.ts';
import {
  type Bucket,
  isMissing,
  type toObjectHeaders,
  toObjectInfo,
  toVersion,
} from './s3-objects.ts';

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 3;

/**
 * Copies or moves a file. Not all stores have conditional copies and deletions (MinIO, Ceph 16), so both files are
 * locked, and what was checked stays true.
 */
export function copyFile(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  { overwrite, move }: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [bucket.keyOf(from), bucket.keyOf(to)];
  return bucket.change([source, destination], async (signal, assertHeld) => {
    const head = await bucket.head(source, signal);
    if (head === undefined) throw new BlobMissingError(from);
    const info = toObjectInfo(head);
    if (info.size > MAX_OBJECT_BYTES) throw toTooLargeError();
    if (!overwrite && (await bucket.head(destination, signal))) throw new BlobExistsError(to);
    assertHeld();
    await copyObject(bucket, source, destination, signal).catch((error) => {
      // Other programs know nothing of locks.
      throw isMissing(error) ? new BlobMissingError(from) : error;
    });
    if (move) {
      await deleteVersion(bucket, source, toVersion(head), signal, assertHeld).catch((error) => {
        throw new SourceKeptError(info, error);
      });
    }
    return info;
  });
}

/** Deletes the source of a move, unless it was replaced after a lock was lost, or by another program. */
async function deleteVersion(
  bucket: Bucket,
  key: string,
  version: string,
  signal: AbortSignal,
  assertHeld: () => void,
): Promise<void> {
  const head = await bucket.head(key, signal);
  if (head === undefined || toVersion(head) !== version) return;
  assertHeld();
  await bucket.delete(key, signal);
}

/**
 * Copies an object inside the store. The copy is atomic.
 * @param headers of the copy. Default: those of the source, of the same version as its content
 */
export async function copyObject(
  bucket: Bucket,
  source: string,
  destination: string,
  signal: AbortSignal,
  headers?: ReturnType<typeof toObjectHeaders>,
): Promise<void> {
  const CopySource = `${bucket.name}/${source.split('/').map(encodeURIComponent).join('/')}`;
  const replaced = headers && { MetadataDirective: 'REPLACE' as const, ...headers };
  const object = { Bucket: bucket.name, Key: destination, CopySource, ...replaced };
  await bucket.send(new CopyObjectCommand(object), signal);
}

export function toTooLargeError(): StoreFullError {
  return new StoreFullError(`Files in this store have at most ${MAX_OBJECT_BYTES} bytes.`);
}
