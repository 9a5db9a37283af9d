import { GetObjectCommand, HeadBucketCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { StoreUnavailableError } from '../blob-errors.ts';
import type { BlobKey, BlobStore } from '../blob-store.ts';
import { type Bucket, deleteObject, headObject, withObjectLocks } from './bucket.ts';
import { copyBlob } from './copy-blob.ts';
import { createClient } from './create-client.ts';
import { toBlobInfo } from './object-info.ts';
import { createObjectKeys } from './object-keys.ts';
import { openObject } from './open-object.ts';
import { sweepBucket } from './sweep-bucket.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';
import { writeObject } from './write-object.ts';

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

const CHECK_MILLISECONDS = 3_000;

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

/** What was uploaded is anybody's: the store, too, hands it out to be saved and not to be shown. */
function presign({ client, name, keys }: Bucket, key: BlobKey, seconds: number): Promise<string> {
  const command = new GetObjectCommand({
    Bucket: name,
    Key: keys.of(key),
    ResponseContentDisposition: 'attachment',
  });
  return withS3Errors(() => getSignedUrl(client, command, { expiresIn: seconds }));
}
