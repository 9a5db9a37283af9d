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
import { type Bucket, deleteObject, headObject, toBlobInfo, withObjectLocks } from './bucket.ts';
import { copyBlob } from './copy-blob.ts';
import { createObjectKeys } from './object-keys.ts';
import { openObject } from './open-object.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';
import { writeObject } from './write-object.ts';

/** A store that is there takes a connection within a round trip. */
const CONNECT_MILLISECONDS = 3_000;

/** So long a connection may stand still; then the call is tried again, or a download goes on anew. */
const IDLE_MILLISECONDS = 15_000;

const ATTEMPTS = 3;

/** From here on a body waits for the store's consent, so that a refusal is heard before it is sent. */
const CONSENT_BYTES = 16 * 1024 * 1024;

/** Without one the SDK writes to the console what it throws anyway. */
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const CHECK_MILLISECONDS = 3_000;

export interface S3BlobStoreOptions {
  /** Address of the store. Default: that of the region at AWS. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** It must be there already. */
  readonly bucket: string;
  /** Put before every key as it is, so that others may use the bucket. Default: nothing. */
  readonly prefix?: string | undefined;
  /** Default: from the usual places of AWS (environment, files, the machine). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Whether the bucket stands in the path and not in the host name. Default: where `endpoint` is given. */
  readonly forcePathStyle?: boolean | undefined;
  /** Whether `presign` is there: its links are answered by the store, with the store's headers. Default: false. */
  readonly presignedLinks?: boolean | undefined;
}

/**
 * Files as objects of an S3-compatible store, at `<prefix><env>/<path>`. Uploads over 8 MiB are sent in
 * parts to `<prefix>.uploads/`, and copied to their place inside of the store when they are whole.
 *
 * The credentials need GetObject, PutObject, DeleteObject, AbortMultipartUpload,
 * ListMultipartUploadParts, ListBucket and ListBucketMultipartUploads; without ListBucket a store
 * answers 403 for a missing file, which counts as unavailable.
 *
 * S3 does not say whether a deletion found anything, and no condition on deletions is known to all stores
 * (Ceph 16 ignores `If-Match` there): deletions and moves look first. Within a process nothing comes in
 * between. Of several processes that delete one file, more than one may hear `true`; more than one may move
 * one file, each to its own place; and a write is lost that another process makes at the source of a move
 * between the last look and the deletion, on stores that ignore `If-Match`. A copy that must not overwrite
 * goes through this process, and ends at S3's limit of one PUT, 5 GiB (`BlobTooLargeError`).
 *
 * @example
 * createS3BlobStore({ endpoint: 'http://127.0.0.1:7480', region: 'us-east-1', bucket: 'files', credentials });
 */
export function createS3BlobStore(options: S3BlobStoreOptions): BlobStore {
  const client = createClient(options);
  const keys = createObjectKeys(options.prefix ?? '');
  const bucket: Bucket = { client, name: options.bucket, keys, uploads: new Set() };

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
      return withObjectLocks(bucket, [object], async () => {
        if ((await headObject(bucket, object)) === undefined) return false;
        await deleteObject(bucket, object);
        return true;
      });
    },
    sweep: (olderThan) => sweepBucket(bucket, olderThan),
    async check() {
      // Told as a failure of the store, as a check that nobody gave up.
      const abortSignal = AbortSignal.timeout(CHECK_MILLISECONDS);
      const command = new HeadBucketCommand({ Bucket: bucket.name });
      await withS3Errors(() => client.send(command, { abortSignal })).catch((error) => {
        if (!isMissing(error)) throw error;
        throw new StoreUnavailableError(`There is no bucket "${bucket.name}".`, { cause: error });
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
  // The calls of this server are bounded by its own connections, and a slow reader holds one of them.
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    region,
    forcePathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: ATTEMPTS,
    logger: SILENT,
    expectContinueHeader: CONSENT_BYTES,
    // Else streams are sent in chunks with a trailer, which Ceph and others refuse (411). Contents
    // are guarded by their MD5.
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

/** Ends uploads to which nothing has come since, and removes whole ones that nobody has used. */
async function sweepBucket(bucket: Bucket, olderThan = weekAgo()): Promise<number> {
  const aborted = await abortUploads(bucket, olderThan);
  return aborted + (await deleteUploads(bucket, olderThan));
}

/** The slowest upload that the server lets go on sends a part of 8 MiB within three days. */
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

/** Whether it was there, and old. */
async function abortUpload(
  { client, name }: Bucket,
  { Key, UploadId, Initiated }: MultipartUpload,
  olderThan: Date,
): Promise<boolean> {
  if (!isOlder(Initiated, olderThan)) return false;
  const upload = { Bucket: name, Key, UploadId };
  return withS3Errors(async () => {
    try {
      // An upload may take long: what counts is when it last went on.
      let PartNumberMarker: string | undefined;
      do {
        // Not by the SDK's paginator: it never ends on Ceph, which names a next page after the last.
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

/** What was uploaded is anybody's: the store, too, hands it out to be saved and not to be shown. */
function presign({ client, name, keys }: Bucket, key: BlobKey, seconds: number): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: name,
    Key: keys.of(key),
    ResponseContentDisposition: 'attachment',
  });
  return withS3Errors(() => getSignedUrl(client, command, { expiresIn: seconds }));
}
