import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
  SourceKeptError,
  StoreUnavailableError,
} from '@berth/storage';
import type { ServerStore } from '../server-store.ts';
import {
  Bucket,
  expectS3,
  isMissing,
  type S3StoreOptions,
  toObjectInfo,
  toVersion,
} from './bucket.ts';
import { openObject } from './download.ts';
import { isInProgress, MAX_OBJECT_BYTES, toTooLargeError, writeObject } from './upload.ts';

/** An upload of another process that takes longer is given up. */
const ABANDONED_MILLISECONDS = 7 * 24 * 3_600_000;

/**
 * Creates a blob store on S3 or a compatible store. Files are objects named `<prefix><env>/<path>`; all other objects
 * and uploads under the prefix are taken for those of other processes of this server.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListBucket and
 * ListBucketMultipartUploads.
 *
 * Uploads and copies are atomic. Deletions and moves check first, which is exact within a process, and among processes
 * with `sharedLocks`. Nothing shows that several processes use a bucket without them: they may then delete or move the
 * same file, and lose a write to the source of a move.
 */
export function createS3Store(options: S3StoreOptions): ServerStore {
  const bucket = new Bucket(options);
  return {
    write: (key, content, writeOptions) => writeObject(bucket, key, content, writeOptions),
    async stat(key) {
      const head = await bucket.head(bucket.keyOf(key));
      return head && toObjectInfo(head);
    },
    open: async (key) => openObject(bucket, bucket.keyOf(key)),
    copy: async (from, to, copyOptions) => copyFile(bucket, from, to, copyOptions),
    async delete(key) {
      const object = bucket.keyOf(key);
      return bucket.change([object], async (signal, assertHeld) => {
        if ((await bucket.head(object, signal)) === undefined) return false;
        assertHeld();
        await bucket.delete(object, signal);
        return true;
      });
    },
    sweep: () => abortUploads(bucket, new Date(Date.now() - ABANDONED_MILLISECONDS)),
    async check() {
      const command = new HeadBucketCommand({ Bucket: bucket.name });
      await bucket.send(command).catch((error) => {
        if (!isMissing(error)) throw error;
        const message = `The bucket "${bucket.name}" does not exist.`;
        throw new StoreUnavailableError(message, { cause: error });
      });
    },
    close: async () => bucket.client.destroy(),
  };
}

/**
 * Copies or moves a file. Not all stores have conditional copies and deletions (MinIO, Ceph 16), so both files are
 * locked, and what was checked stays true.
 */
function copyFile(
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

/** The store copies the headers of the object as well. */
async function copyObject(
  bucket: Bucket,
  source: string,
  destination: string,
  signal: AbortSignal,
): Promise<void> {
  const CopySource = `${bucket.name}/${source.split('/').map(encodeURIComponent).join('/')}`;
  const object = { Bucket: bucket.name, Key: destination, CopySource };
  const { CopyObjectResult } = await bucket.send(new CopyObjectCommand(object), signal);
  expectS3(CopyObjectResult?.ETag);
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

async function abortUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const folder = { Bucket: bucket.name, Prefix: bucket.prefix };
  let count = 0;
  let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let isMore = true; isMore; ) {
    const command = new ListMultipartUploadsCommand({ ...folder, ...page });
    const found = await bucket.send(command);
    for (const { Key, UploadId = '', Initiated } of found.Uploads ?? []) {
      if (isInProgress(UploadId) || (Initiated !== undefined && Initiated >= olderThan)) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId });
      if (await bucket.sendIfThere(abort)) count += 1;
    }
    isMore = found.IsTruncated === true;
    page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
  }
  return count;
}
