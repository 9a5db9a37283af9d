import {
  AbortMultipartUploadCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { ParsedConfig } from '../config/schema.ts';
import {
  type BlobStore,
  type CheckedFile,
  type StoredFile,
  StoreUnavailableError,
} from './blob-store.ts';
import { copyBlob } from './s3-copy.ts';
import { openObject } from './s3-download.ts';
import {
  type Bucket,
  createObjectKeys,
  deleteObject,
  headObject,
  isMissing,
  send,
  sendIfThere,
  toObjectInfo,
  type WithSharedLocks,
  withObjectLocks,
  withS3Errors,
} from './s3-objects.ts';
import { writeObject } from './s3-upload.ts';
import { findDamage } from './verify.ts';

/** A store that is up accepts a connection within one round trip. */
const CONNECT_MILLISECONDS = 3_000;

/** How long a connection may be idle; after that, the call is retried or the download resumed. */
const IDLE_MILLISECONDS = 15_000;

const ATTEMPTS = 3;

/** Larger bodies wait for `100 Continue`, so that a refusal arrives before they are sent. */
const EXPECT_CONTINUE_BYTES = 16 * 1024 * 1024;

/** Without a logger, the SDK writes the errors that it throws to the console as well. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const CHECK_MILLISECONDS = 3_000;

export interface S3BlobStoreOptions
  extends Omit<Extract<ParsedConfig['store'], { driver: 's3' }>, 'driver'> {
  /** Locks that all replicas share. Default: only operations of this process exclude each other. */
  readonly withSharedLocks?: WithSharedLocks | undefined;
}

export interface S3BlobStore extends BlobStore {
  /** Finds all files. */
  scan(): AsyncIterable<StoredFile>;
}

/**
 * Creates a blob store on S3 or a compatible store. Files are objects named `<prefix><env>/<path>`. Uploads
 * over 8 MiB are sent in parts to `<prefix>.uploads/`, and copied to their final key when they are complete.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListMultipartUploadParts,
 * ListBucket and ListBucketMultipartUploads.
 *
 * Uploads and copies are atomic. Deletions and moves check first, which is exact within a process, and among processes
 * with `withSharedLocks`. Otherwise, several processes may delete or move the same file, and a write to the source of
 * a move may be lost. A copy that must not overwrite is limited to 5 GiB, the maximum size of an S3 PUT.
 */
export function createS3BlobStore(options: S3BlobStoreOptions): S3BlobStore {
  const client = createClient(options);
  const keys = createObjectKeys(options.prefix ?? '');
  const { bucket: name, withSharedLocks } = options;
  const bucket: Bucket = { client, name, keys, withSharedLocks, uploads: new Set() };

  return {
    write: (key, content, writeOptions) => writeObject(bucket, key, content, writeOptions),
    async stat(key) {
      const head = await headObject(bucket, keys.of(key));
      return head && toObjectInfo(head);
    },
    open: async (key) => openObject(bucket, keys.of(key)),
    copy: (from, to, copyOptions) => copyBlob(bucket, from, to, copyOptions),
    async delete(key) {
      const object = keys.of(key);
      return withObjectLocks(bucket, [object], async (signal) => {
        for (let attempt = 1; ; attempt++) {
          const head = await headObject(bucket, object);
          if (head === undefined) return false;
          // Otherwise, another process has removed or replaced the file in the meantime.
          if (await deleteObject(bucket, object, head.ETag, signal)) return true;
          if (attempt === ATTEMPTS) throw new StoreUnavailableError('The file keeps changing.');
        }
      });
    },
    sweep: (olderThan) => sweepBucket(bucket, olderThan),
    async check() {
      // Report this as a failure of the store, not as an aborted check.
      const abortSignal = AbortSignal.timeout(CHECK_MILLISECONDS);
      const command = new HeadBucketCommand({ Bucket: bucket.name });
      await withS3Errors(() => client.send(command, { abortSignal })).catch((error) => {
        if (!isMissing(error)) throw error;
        throw new StoreUnavailableError(`The bucket "${bucket.name}" does not exist.`, {
          cause: error,
        });
      });
    },
    scan: () => scanBucket(bucket),
    close: async () => client.destroy(),
  };
}

function createClient(options: S3BlobStoreOptions): S3Client {
  const { endpoint, region, forcePathStyle = endpoint !== undefined } = options;
  const { accessKeyId, secretAccessKey } = options;
  // The server limits its own connections, and each slow reader occupies one of these.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    expectContinueHeader: EXPECT_CONTINUE_BYTES,
    // Otherwise streams are sent in chunks with a trailer, which Ceph and others reject (411). An MD5
    // protects the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MILLISECONDS,
      socketTimeout: IDLE_MILLISECONDS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/** Aborts stale multipart uploads, and removes complete ones that were never used. */
async function sweepBucket(bucket: Bucket, given?: Date): Promise<number> {
  // The slowest upload that the server permits sends a part of 8 MiB within three days.
  const olderThan = given ?? new Date(Date.now() - 7 * 86_400_000);
  const aborted = await abortUploads(bucket, olderThan);
  return aborted + (await deleteUploads(bucket, olderThan));
}

async function abortUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const { name, keys } = bucket;
  let count = 0;
  let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let isMore = true; isMore; ) {
    const command = new ListMultipartUploadsCommand({
      Bucket: name,
      // Without a prefix, other programs may have uploads anywhere else.
      Prefix: keys.prefix || keys.uploads,
      ...page,
    });
    const found = await send(bucket, command);
    for (const upload of found.Uploads ?? []) {
      if (bucket.uploads.has(upload.Key ?? '')) continue;
      if (await abortUpload(bucket, upload, olderThan)) count++;
    }
    isMore = found.IsTruncated === true;
    page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
  }
  return count;
}

async function abortUpload(
  bucket: Bucket,
  { Key, UploadId, Initiated }: MultipartUpload,
  olderThan: Date,
): Promise<boolean> {
  if (!isOlder(Initiated, olderThan)) return false;
  const upload = { Bucket: bucket.name, Key, UploadId };
  // An upload may take long; what counts is its last progress.
  let PartNumberMarker: string | undefined;
  do {
    // Not the SDK's paginator, which never ends on Ceph: Ceph returns a next page after the last one.
    const page = await sendIfThere(bucket, new ListPartsCommand({ ...upload, PartNumberMarker }));
    const parts = page?.Parts ?? [];
    if (!parts.every(({ LastModified }) => isOlder(LastModified, olderThan))) return false;
    PartNumberMarker = page?.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (PartNumberMarker !== undefined);
  return (await sendIfThere(bucket, new AbortMultipartUploadCommand(upload))) !== undefined;
}

function isOlder(date: Date | undefined, limit: Date): boolean {
  return date === undefined || date < limit;
}

async function deleteUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const { client, name, keys } = bucket;
  return withS3Errors(async () => {
    let count = 0;
    const folder = { Bucket: name, Prefix: keys.uploads };
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, folder)) {
      for (const { Key, LastModified } of Contents) {
        if (Key === undefined || bucket.uploads.has(Key) || !isOlder(LastModified, olderThan))
          continue;
        await deleteObject(bucket, Key);
        count++;
      }
    }
    return count;
  });
}

async function* scanBucket(bucket: Bucket): AsyncGenerator<StoredFile> {
  const { client, name, keys } = bucket;
  const folder = { Bucket: name, Prefix: keys.prefix };
  const pages = paginateListObjectsV2({ client }, folder)[Symbol.asyncIterator]();
  for (;;) {
    const { value: page, done } = await withS3Errors(() => pages.next());
    if (done) return;
    for (const { Key: key = '' } of page.Contents ?? []) {
      if (!key.startsWith(keys.uploads)) yield { name: key, check: () => check(bucket, key) };
    }
  }
}

async function check(bucket: Bucket, key: string): Promise<CheckedFile | undefined> {
  const object = await openObject(bucket, key);
  if (object === undefined) return undefined;
  const { size: bytes, crc32 } = object.info;
  if (crc32 === undefined) {
    await object.close();
    return { bytes, isUnverified: true };
  }
  return { bytes, damage: await findDamage(object.read()) };
}
