import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobInfo } from '../blob-store.ts';
import { withLocks } from '../key-locks.ts';
import type { ObjectKeys } from './object-keys.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';

/** Headers carry this much unchanged through every proxy and signature. */
const PLAIN_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const FALLBACK_TYPE = 'application/octet-stream';

/** What the SDK tells of an object, with HEAD and with GET. */
interface ObjectHead {
  readonly ContentLength?: number | undefined;
  readonly ContentType?: string | undefined;
  readonly ETag?: string | undefined;
  readonly LastModified?: Date | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

/** A version of an object. Two of the same bytes may have one ETag of the store. */
export function toVersion({ ETag, LastModified, Metadata }: ObjectHead): string {
  return JSON.stringify([ETag, LastModified, Metadata?.etag]);
}

/** What is kept with an object. The ETag of the store is the same for the same bytes of another type. */
export function toObjectHeaders({ etag, contentType }: BlobInfo) {
  const isPlain = PLAIN_HEADER.test(contentType);
  return {
    ContentType: isPlain ? contentType : FALLBACK_TYPE,
    Metadata: {
      etag,
      ...(!isPlain && { type: encodeURIComponent(contentType) }),
    },
  };
}

/** What is known of an object, also of one that something else has put there. */
export function toBlobInfo(head: ObjectHead): BlobInfo {
  const { etag, type } = head.Metadata ?? {};
  return {
    size: head.ContentLength ?? 0,
    etag: etag ?? (head.ETag ?? '').replaceAll('"', ''),
    contentType: type ? decodeURIComponent(type) : (head.ContentType ?? FALLBACK_TYPE),
  };
}

/** A bucket, and how to reach it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly keys: ObjectKeys;
  /** Keys of what this process puts together from parts. */
  readonly uploads: Set<string>;
}

/**
 * Does the work while nobody else of this process changes these objects. What has to look before it deletes
 * is atomic so: no condition on deletions is known to all stores (Ceph 16 ignores `If-Match` there).
 */
export function withObjectLocks<T>(
  { name }: Bucket,
  objects: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  return withLocks(
    objects.map((key) => `s3://${name}/${key}`),
    work,
  );
}

/** Undefined where there is no such object. */
export async function headObject(
  { client, name }: Bucket,
  key: string,
  signal?: AbortSignal,
): Promise<HeadObjectCommandOutput | undefined> {
  return withS3Errors(async () => {
    try {
      const command = new HeadObjectCommand({ Bucket: name, Key: key });
      return await client.send(command, toCallOptions(signal));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }, signal);
}

/** @param version ETag of the only version that is to be deleted, for stores that know this condition */
export async function deleteObject(
  { client, name }: Bucket,
  key: string,
  version?: string,
): Promise<void> {
  const command = new DeleteObjectCommand({ Bucket: name, Key: key, IfMatch: version });
  await withS3Errors(() => client.send(command));
}

export function toCallOptions(signal: AbortSignal | undefined) {
  return signal ? { abortSignal: signal } : {};
}

/** What the calls for one part have to say. */
export interface UploadOfParts {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** One part that the store has. */
export interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/** Puts an object together from parts; whatever fails leaves nothing of it. */
export async function putInParts(
  { client, name }: Bucket,
  object: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'> & { readonly Key: string },
  send: (upload: UploadOfParts) => Promise<SentPart[]>,
  signal?: AbortSignal,
): Promise<void> {
  const options = toCallOptions(signal);
  const create = new CreateMultipartUploadCommand({ Bucket: name, ...object });
  const { UploadId } = await withS3Errors(() => client.send(create, options), signal);
  const upload: UploadOfParts = { Bucket: name, Key: object.Key, UploadId };
  try {
    const parts = await send(upload);
    const Parts = parts.toSorted((one, other) => one.PartNumber - other.PartNumber);
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await withS3Errors(() => client.send(complete, options), signal);
  } catch (error) {
    // Of two failures, the first one is told. A sweep removes what stays.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}
