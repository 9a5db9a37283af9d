import {
  AbortMultipartUploadCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { type BlobStore, StoreUnavailableError } from './blob-store.ts';
import { copyFile } from './s3-copy.ts';
import { openObject } from './s3-download.ts';
import {
  Bucket,
  isMissing,
  type S3StoreOptions,
  toObjectInfo,
  withS3Errors,
} from './s3-objects.ts';
import { PROCESS, writeObject } from './s3-upload.ts';
import { type CheckedFile, findDamage } from './verify.ts';

/** An upload of another process that takes longer is given up. */
const ABANDONED_MILLISECONDS = 7 * 24 * 3_600_000;

export interface S3Store extends BlobStore {
  /** Finds all files, and reads each to its end. */
  scan(): AsyncIterable<CheckedFile>;
}

/**
 * Creates a blob store on S3 or a compatible store. Files are objects named `<prefix><env>/<path>`. Uploads
 * of 5 MiB and more are sent in parts to `<prefix>.uploads/`, and copied to their key when they are complete.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListBucket and
 * ListBucketMultipartUploads.
 *
 * Uploads and copies are atomic. Deletions and moves check first, which is exact within a process, and among processes
 * with `sharedLocks`. Nothing shows that several processes use a bucket without them: they may then delete or move the
 * same file, and lose a write to the source of a move.
 */
export function createS3Store(options: S3StoreOptions): S3Store {
  const bucket = new Bucket(options);
  return {
    write: (key, content, writeOptions) => writeObject(bucket, key, content, writeOptions),
    async stat(key) {
      const head = await bucket.call((signal) => bucket.head(bucket.keyOf(key), signal));
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
    async sweep(olderThan = new Date(Date.now() - ABANDONED_MILLISECONDS)) {
      const isAbandoned = (key: string | undefined, date: Date | undefined) =>
        !key?.startsWith(`${bucket.uploads}${PROCESS}`) && (date === undefined || date < olderThan);
      return (await abortUploads(bucket, isAbandoned)) + (await deleteUploads(bucket, isAbandoned));
    },
    async check() {
      const command = new HeadBucketCommand({ Bucket: bucket.name });
      await bucket
        .call((signal) => bucket.send(command, signal))
        .catch((error) => {
          if (!isMissing(error)) throw error;
          const message = `The bucket "${bucket.name}" does not exist.`;
          throw new StoreUnavailableError(message, { cause: error });
        });
    },
    async *scan() {
      for await (const { key } of listObjects(bucket, bucket.prefix)) {
        if (key.startsWith(bucket.uploads)) continue;
        const file = await checkObject(bucket, key);
        if (file) yield file;
      }
    },
    close: async () => bucket.client.destroy(),
  };
}

type IsAbandoned = (key: string | undefined, date: Date | undefined) => boolean;

/** Removes the parts of uploads that were never completed. */
async function abortUploads(bucket: Bucket, isAbandoned: IsAbandoned): Promise<number> {
  const folder = { Bucket: bucket.name, Prefix: bucket.uploads };
  let count = 0;
  let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let isMore = true; isMore; ) {
    const command = new ListMultipartUploadsCommand({ ...folder, ...page });
    const found = await bucket.call((signal) => bucket.send(command, signal));
    for (const { Key, UploadId, Initiated } of found.Uploads ?? []) {
      if (!isAbandoned(Key, Initiated)) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId });
      if (await bucket.call((signal) => bucket.sendIfThere(abort, signal))) count += 1;
    }
    isMore = found.IsTruncated === true;
    page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
  }
  return count;
}

/** Removes uploads that were completed, but not copied to their key. */
async function deleteUploads(bucket: Bucket, isAbandoned: IsAbandoned): Promise<number> {
  let count = 0;
  for await (const { key, modified } of listObjects(bucket, bucket.uploads)) {
    if (!isAbandoned(key, modified)) continue;
    await bucket.call((signal) => bucket.delete(key, signal));
    count += 1;
  }
  return count;
}

async function* listObjects(bucket: Bucket, prefix: string) {
  const folder = { Bucket: bucket.name, Prefix: prefix };
  const pages = paginateListObjectsV2(bucket, folder)[Symbol.asyncIterator]();
  const next = (signal: AbortSignal) => withS3Errors(() => pages.next(), signal);
  for (;;) {
    const { value: page, done } = await bucket.call(next);
    if (done) return;
    for (const { Key: key = '', LastModified: modified } of page.Contents ?? []) {
      yield { key, modified };
    }
  }
}

async function checkObject(bucket: Bucket, path: string): Promise<CheckedFile | undefined> {
  const object = await openObject(bucket, path);
  if (object === undefined) return undefined;
  const { size: bytes, crc32 } = object.info;
  if (crc32 === undefined) {
    await object.close();
    return { path, bytes, isUnverified: true };
  }
  const detail = await findDamage(object.read());
  return { path, bytes, problem: detail ? { kind: 'damaged', detail } : undefined };
}
