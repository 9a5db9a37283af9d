import { CopyObjectCommand, PutObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import {
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type CopyOptions,
  SourceKeptError,
} from '../blob-store.ts';
import {
  type Bucket,
  deleteObject,
  headObject,
  putInParts,
  type SentPart,
  toBlobInfo,
  toCallOptions,
  toObjectHeaders,
  toVersion,
  type UploadOfParts,
  withObjectLocks,
} from './bucket.ts';
import { openObject } from './open-object.ts';
import { isMissing, isRefusedCondition, statusOf, withS3Errors } from './to-s3-error.ts';

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
const MAX_SINGLE_BYTES = 5 * 1024 ** 3;

const COPIED_PART_BYTES = 1024 ** 3;

/** How often a copy is restarted because its source was replaced in the meantime. */
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
  // A PUT that does not overwrite needs no lock: an operation that checks before it deletes has found a
  // file.
  const placed = options.overwrite ? [destination] : [];
  const locks = options.move ? [source, destination] : placed;
  return withObjectLocks(bucket, locks, async (signal) => {
    const { info, version } = await copyVersion(bucket, from, to, options, signal);
    if (options.move) {
      await deleteVersion(bucket, source, version, signal).catch((error) => {
        throw new SourceKeptError(info, error);
      });
    }
    return info;
  });
}

async function copyVersion(
  bucket: Bucket,
  from: BlobKey,
  to: BlobKey,
  { overwrite }: CopyOptions,
  signal: AbortSignal | undefined,
): Promise<Copied> {
  const copy = overwrite ? copyOver : copyNew;
  for (let attempt = 1; ; attempt++) {
    const copied = await copy(bucket, from, to, signal);
    if (copied) return copied;
    if (attempt === ATTEMPTS) throw new Error(`The file ${from.path} keeps changing.`);
  }
}

/** Returns undefined if the source was replaced in the meantime. */
async function copyOver(bucket: Bucket, from: BlobKey, to: BlobKey, signal?: AbortSignal) {
  const key = bucket.keys.of(from);
  const head = await headObject(bucket, key);
  if (head === undefined) throw new BlobMissingError(from);
  const info = toBlobInfo(head);
  try {
    const source = { key, version: head.ETag };
    await copyObject(bucket, source, bucket.keys.of(to), info, signal);
    return { info, version: toVersion(head) };
  } catch (error) {
    if (isMissing(error)) throw new BlobMissingError(from);
    if (isRefusedCondition(error)) return undefined;
    throw error;
  }
}

/**
 * Some stores ignore `If-None-Match: *` on CopyObject and CompleteMultipartUpload (Ceph 16) but honour it on
 * PutObject, so the content goes through this process in one PUT.
 */
async function copyNew(bucket: Bucket, from: BlobKey, to: BlobKey, lock?: AbortSignal) {
  const source = await openObject(bucket, bucket.keys.of(from));
  if (source === undefined) throw new BlobMissingError(from);
  const { info } = source;
  const failed = new AbortController();
  const signal = lock ? AbortSignal.any([lock, failed.signal]) : failed.signal;
  try {
    if (info.size > MAX_SINGLE_BYTES) {
      const most = `${MAX_SINGLE_BYTES} bytes`;
      throw new BlobTooLargeError(
        `Files over ${most} can be copied only if overwriting is allowed.`,
      );
    }
    const key = bucket.keys.of(to);
    if (await headObject(bucket, key)) throw new BlobExistsError(to);
    // A stream is never sent twice: a second attempt would find the first one's file.
    const body = source.read();
    body.once('error', (error) => failed.abort(error));
    const command = new PutObjectCommand({
      Bucket: bucket.name,
      Key: key,
      Body: body,
      ContentLength: info.size,
      IfNoneMatch: '*',
      ...toObjectHeaders(info),
    });
    try {
      const call = () => bucket.client.send(command, toCallOptions(signal));
      await withS3Errors(call, signal);
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

/** Another process may have replaced or removed the source since then. */
async function deleteVersion(
  bucket: Bucket,
  key: string,
  version: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const head = await headObject(bucket, key);
  if (head === undefined || toVersion(head) !== version) return;
  try {
    await deleteObject(bucket, key, head.ETag, signal);
  } catch (error) {
    if (!isRefusedCondition(error)) throw error;
  }
}

/** One version of an object. */
interface Source {
  readonly key: string;
  readonly version: string | undefined;
}

/** Copies an object inside the store. The copy is atomic, and replaces any existing object. */
export async function copyObject(
  bucket: Bucket,
  source: Source,
  key: string,
  info: BlobInfo,
  signal?: AbortSignal,
): Promise<void> {
  if (info.size > MAX_SINGLE_BYTES) return copyInParts(bucket, source, key, info, signal);
  const command = new CopyObjectCommand({
    Bucket: bucket.name,
    Key: key,
    ...toCopySource(bucket, source),
    MetadataDirective: 'REPLACE',
    ...toObjectHeaders(info),
  });
  await withS3Errors(() => bucket.client.send(command, toCallOptions(signal)), signal);
}

async function copyInParts(
  bucket: Bucket,
  source: Source,
  key: string,
  info: BlobInfo,
  signal?: AbortSignal,
): Promise<void> {
  const send = async (upload: UploadOfParts) => {
    const parts: SentPart[] = [];
    for (let start = 0; start < info.size; start += COPIED_PART_BYTES) {
      const PartNumber = parts.length + 1;
      const command = new UploadPartCopyCommand({
        ...upload,
        ...toCopySource(bucket, source),
        PartNumber,
        CopySourceRange: `bytes=${start}-${Math.min(start + COPIED_PART_BYTES, info.size) - 1}`,
      });
      const call = () => bucket.client.send(command, toCallOptions(signal));
      const { CopyPartResult } = await withS3Errors(call, signal);
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
    }
    return parts;
  };
  bucket.uploads.add(key);
  try {
    await putInParts(bucket, { Key: key, ...toObjectHeaders(info) }, send, signal);
  } finally {
    bucket.uploads.delete(key);
  }
}

function toCopySource({ name }: Bucket, { key, version }: Source) {
  return {
    CopySource: `${name}/${key.split('/').map(encodeURIComponent).join('/')}`,
    CopySourceIfMatch: version,
  };
}
