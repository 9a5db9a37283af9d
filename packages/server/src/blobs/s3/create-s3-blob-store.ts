import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type BlobKey, type BlobStore, StoreUnavailableError } from '../blob-store.ts';
import {
  type Bucket,
  deleteObject,
  headObject,
  toBlobInfo,
  type WithSharedLocks,
  withObjectLocks,
} from './bucket.ts';
import { copyBlob } from './copy-blob.ts';
import { createObjectKeys } from './object-keys.ts';
import { openObject } from './open-object.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';
import { writeObject } from './write-object.ts';

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

export interface S3BlobStoreOptions {
  /** URL of the store. Default: AWS, in the given region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** Name of the bucket, which must exist. */
  readonly bucket: string;
  /** Prefix of every key, used as is, so that the bucket can be shared. Default: none. */
  readonly prefix?: string | undefined;
  /** Default: the AWS credential chain (environment variables, files, instance metadata). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Whether the bucket is in the path instead of the host name. Default: true if `endpoint` is set. */
  readonly forcePathStyle?: boolean | undefined;
  /**
   * Whether to provide `presign`. The store itself then serves links, with its own headers. Default: false.
   */
  readonly presignedLinks?: boolean | undefined;
  /** Locks that all replicas share. Default: only operations of this process exclude each other. */
  readonly withSharedLocks?: WithSharedLocks | undefined;
}

/**
 * Creates a blob store on S3 or a compatible store. Files are objects named `<prefix><env>/<path>`. Uploads
 * over 8 MiB are sent in parts to `<prefix>.uploads/`, and copied to their final key when they are complete.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload, ListMultipartUploadParts,
 * ListBucket and ListBucketMultipartUploads; without ListBucket, a store responds to a missing file with a
 * 403, which counts as unavailable.
 *
 * S3 does not report whether a deletion found anything, and no delete condition works on all stores (Ceph 16
 * ignores `If-Match` there): deletions and moves check first. This is atomic within a process, and among processes
 * with `withSharedLocks`. Without it, if several processes delete the same file, more than one of them may get
 * `true`. If several processes move the same file to different places, more than one of them may succeed. On
 * stores that ignore `If-Match`, if another process writes to the source of a move between the last check and the
 * deletion, that write is lost. A copy
 * that must not overwrite goes through this process, and is limited to 5 GiB, the maximum size of an S3 PUT
 * (`BlobTooLargeError`).
 *
 * @example
 * createS3BlobStore({ endpoint: 'http://127.0.0.1:7480', region: 'us-east-1', bucket: 'files', credentials });
 */
export function createS3BlobStore(options: S3BlobStoreOptions): BlobStore {
  const client = createClient(options);
  const keys = createObjectKeys(options.prefix ?? '');
  const { bucket: name, withSharedLocks } = options;
  const bucket: Bucket = { client, name, keys, withSharedLocks, uploads: new Set() };

  return {
    write: (key, content, writeOptions) => writeObject(bucket, key, content, writeOptions),
    async stat(key) {
      const head = await headObject(bucket, keys.of(key));
      return head && toBlobInfo(head);
    },
    open: async (key) => openObject(bucket, keys.of(key)),
    copy: (from, to, copyOptions) => copyBlob(bucket, from, to, copyOptions),
    async delete(key) {
      const object = keys.of(key);
      return withObjectLocks(bucket, [object], async (signal) => {
        if ((await headObject(bucket, object)) === undefined) return false;
        await deleteObject(bucket, object, undefined, signal);
        return true;
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
    ...(options.presignedLinks && {
      presign: (key: BlobKey, seconds: number) => presign(bucket, key, seconds),
    }),
    close: async () => client.destroy(),
  };
}

interface ClientOptions {
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly forcePathStyle?: boolean | undefined;
}

function createClient(options: ClientOptions): S3Client {
  const { endpoint, region, credentials, forcePathStyle = endpoint !== undefined } = options;
  // The server limits its own connections, and each slow reader occupies one of these.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
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
async function sweepBucket(bucket: Bucket, olderThan = weekAgo()): Promise<number> {
  const aborted = await abortUploads(bucket, olderThan);
  return aborted + (await deleteUploads(bucket, olderThan));
}

/** The slowest upload that the server permits sends a part of 8 MiB within three days. */
function weekAgo(): Date {
  return new Date(Date.now() - 7 * 86_400_000);
}

async function abortUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const { client, name, keys } = bucket;
  let count = 0;
  let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let isMore = true; isMore; ) {
    const command = new ListMultipartUploadsCommand({
      Bucket: name,
      // Without a prefix, other programs may have uploads anywhere else.
      Prefix: keys.prefix || keys.uploads,
      ...page,
    });
    const found = await withS3Errors(() => client.send(command));
    for (const upload of found.Uploads ?? []) {
      if (bucket.uploads.has(upload.Key ?? '')) continue;
      if (await abortUpload(bucket, upload, olderThan)) count++;
    }
    isMore = found.IsTruncated === true;
    page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
  }
  return count;
}

/** Returns whether it existed and was old. */
async function abortUpload(
  { client, name }: Bucket,
  { Key, UploadId, Initiated }: MultipartUpload,
  olderThan: Date,
): Promise<boolean> {
  if (!isOlder(Initiated, olderThan)) return false;
  const upload = { Bucket: name, Key, UploadId };
  return withS3Errors(async () => {
    try {
      // An upload may take long; what counts is its last progress.
      let PartNumberMarker: string | undefined;
      do {
        // Not the SDK's paginator, which never ends on Ceph: Ceph returns a next page after the last one.
        const page = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker }));
        const parts = page.Parts ?? [];
        if (!parts.every(({ LastModified }) => isOlder(LastModified, olderThan))) return false;
        PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
      } while (PartNumberMarker !== undefined);
      await client.send(new AbortMultipartUploadCommand(upload));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  });
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

/** Uploads are untrusted: the store must serve them as downloads too, never inline. */
function presign({ client, name, keys }: Bucket, key: BlobKey, seconds: number): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: name,
    Key: keys.of(key),
    ResponseContentDisposition: 'attachment',
  });
  return withS3Errors(() => getSignedUrl(client, command, { expiresIn: seconds }));
}
