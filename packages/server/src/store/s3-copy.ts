import {
  type CompletedPart,
  CopyObjectCommand,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
  SourceKeptError,
} from './blob-store.ts';
import { openObject } from './s3-download.ts';
import {
  type Bucket,
  deleteObject,
  headObject,
  isMissing,
  isRefusedCondition,
  type ObjectInfo,
  putInParts,
  type Source,
  send,
  statusOf,
  toCopySource,
  toObjectHeaders,
  toObjectInfo,
  toVersion,
  type UploadOfParts,
  withObjectLocks,
} from './s3-objects.ts';

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
const MAX_SINGLE_BYTES = 5 * 1024 ** 3;

const COPIED_PART_BYTES = 1024 ** 3;

const ATTEMPTS = 3;

interface Copied {
  readonly info: BlobInfo;
  readonly version: string;
}

/** Copies or moves a file. If the destination exists, replaces it or fails, depending on the options. */
export async function copyBlob(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  options: CopyOptions,
): Promise<BlobInfo> {
  const [source, destination] = [bucket.keys.of(from), bucket.keys.of(to)];
  // A PUT that must not overwrite needs no lock: whatever checks before it deletes has found a file.
  const locks = options.move || options.overwrite ? [source, destination] : [];
  return withObjectLocks(bucket, locks, async (signal) => {
    const { info, version } = await copyVersion(bucket, from, to, options, signal);
    if (!options.move) return info;
    const wasThere = await deleteVersion(bucket, source, version, signal).catch((error) => {
      throw new SourceKeptError(info, error);
    });
    if (wasThere || options.overwrite) return info;
    await undoCopy(bucket, destination, info);
    throw new BlobMissingError(from);
  });
}

async function copyVersion(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  options: CopyOptions,
  signal: AbortSignal | undefined,
): Promise<Copied> {
  const copy = options.overwrite ? copyInside : copyThrough;
  for (let attempt = 1; ; attempt++) {
    const copied = await copy(bucket, from, to, signal);
    if (copied) return copied;
    if (attempt === ATTEMPTS) throw new Error(`The file ${from.path} keeps changing.`);
  }
}

/** Returns undefined if the source was replaced in the meantime. */
async function copyInside(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  signal?: AbortSignal,
): Promise<Copied | undefined> {
  const [source, destination] = [bucket.keys.of(from), bucket.keys.of(to)];
  const head = await headObject(bucket, source);
  if (head === undefined) throw new BlobMissingError(from);
  const info = toObjectInfo(head);
  try {
    await copyObject(bucket, { key: source, version: head.ETag }, destination, info, signal);
  } catch (error) {
    if (isMissing(error)) throw new BlobMissingError(from);
    if (!isRefusedCondition(error)) throw error;
    return undefined;
  }
  return { info, version: toVersion(head) };
}

/** @throws BlobExistsError, or BlobTooLargeError */
async function assertNew(bucket: Bucket, to: BlobKey, { size }: BlobInfo): Promise<void> {
  if (size > MAX_SINGLE_BYTES) {
    const most = `${MAX_SINGLE_BYTES} bytes`;
    throw new BlobTooLargeError(`Files over ${most} can be copied only if overwriting is allowed.`);
  }
  if (await headObject(bucket, bucket.keys.of(to))) throw new BlobExistsError(to);
}

/**
 * Some stores ignore `If-None-Match: *` on CopyObject and CompleteMultipartUpload (MinIO, Ceph 16) but honour it on
 * PutObject, so the content goes through this process in one PUT.
 */
async function copyThrough(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  lock?: AbortSignal,
): Promise<Copied | undefined> {
  const source = await openObject(bucket, bucket.keys.of(from));
  if (source === undefined) throw new BlobMissingError(from);
  const { info } = source;
  const failed = new AbortController();
  const signal = lock ? AbortSignal.any([lock, failed.signal]) : failed.signal;
  try {
    await assertNew(bucket, to, info);
    // A stream is never sent twice: a second attempt would find the first one's file.
    const body = source.read();
    body.once('error', (error) => failed.abort(error));
    const command = new PutObjectCommand({
      Bucket: bucket.name,
      Key: bucket.keys.of(to),
      Body: body,
      ContentLength: info.size,
      IfNoneMatch: '*',
      ...toObjectHeaders(info),
    });
    try {
      await send(bucket, command, signal);
    } finally {
      body.destroy();
    }
    return { info, version: source.version };
  } catch (error) {
    if (isRefusedCondition(error)) throw new BlobExistsError(to);
    // S3: "409 Conflict" if another change of the key is in progress; the call can be retried.
    if (statusOf(error) === 409) return undefined;
    throw error;
  } finally {
    await source.close();
  }
}

/** A file that S3 cannot copy without the risk of overwriting another one. */
class BlobTooLargeError extends Error {
  override readonly name = 'BlobTooLargeError';
}

/** Removes the source of a move, unless it was replaced. Returns false if another process has removed it. */
async function deleteVersion(
  bucket: Bucket,
  key: string,
  version: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const head = await headObject(bucket, key);
  if (head === undefined) return false;
  if (toVersion(head) !== version) return true;
  if (await deleteObject(bucket, key, head.ETag, signal)) return true;
  return (await headObject(bucket, key)) !== undefined;
}

async function undoCopy(bucket: Bucket, key: string, { etag }: BlobInfo): Promise<void> {
  const head = await headObject(bucket, key);
  if (head?.Metadata?.etag === etag) await deleteObject(bucket, key, head.ETag);
}

/**
 * Copies an object inside the store. The copy is atomic.
 * @param change headers of the copy. Default: those of the source, of the same version as its content
 */
export async function copyObject(
  bucket: Bucket,
  source: Source,
  key: string,
  info: ObjectInfo,
  signal?: AbortSignal,
  change?: ReturnType<typeof toObjectHeaders>,
): Promise<void> {
  if (info.size > MAX_SINGLE_BYTES) return copyInParts(bucket, source, key, info, signal);
  const command = new CopyObjectCommand({
    Bucket: bucket.name,
    Key: key,
    ...toCopySource(bucket, source),
    ...(change && { MetadataDirective: 'REPLACE', ...change }),
  });
  await send(bucket, command, signal);
}

async function copyInParts(
  bucket: Bucket,
  source: Source,
  key: string,
  info: ObjectInfo,
  signal?: AbortSignal,
): Promise<void> {
  const copyParts = async (upload: UploadOfParts) => {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < info.size; start += COPIED_PART_BYTES) {
      const PartNumber = parts.length + 1;
      const command = new UploadPartCopyCommand({
        ...upload,
        ...toCopySource(bucket, source),
        PartNumber,
        CopySourceRange: `bytes=${start}-${Math.min(start + COPIED_PART_BYTES, info.size) - 1}`,
      });
      const { CopyPartResult } = await send(bucket, command, signal);
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
    }
    return parts;
  };
  bucket.uploads.add(key);
  try {
    await putInParts(bucket, { Key: key, ...toObjectHeaders(info) }, copyParts, signal);
  } finally {
    bucket.uploads.delete(key);
  }
}
