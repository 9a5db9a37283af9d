import { createHash } from 'node:crypto';
import {
  type $Command,
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { type BlobInfo, type BlobKey, StoreUnavailableError } from './blob-store.ts';
import { withLocks } from './locks.ts';

/** These characters survive unchanged in headers, through every proxy and signature. */
const PLAIN_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const FALLBACK_TYPE = 'application/octet-stream';

type ObjectHead = Pick<
  HeadObjectCommandOutput,
  'ContentLength' | 'ContentType' | 'ETag' | 'LastModified' | 'Metadata'
>;

/**
 * Returns a value that identifies an object's version, because two versions with the same bytes may have the
 * same ETag in the store.
 */
export function toVersion({ ETag, LastModified, Metadata }: ObjectHead): string {
  return JSON.stringify([ETag, LastModified, Metadata?.etag]);
}

export interface ObjectInfo extends BlobInfo {
  /** CRC-32 of the content; undefined if another program wrote the object. */
  readonly crc32: number | undefined;
}

/**
 * Returns the headers to store with an object. They identify the version, because the store's ETag does not
 * change if only the type changes.
 */
export function toObjectHeaders({ etag, contentType, crc32 }: ObjectInfo) {
  const isPlain = PLAIN_HEADER.test(contentType);
  return {
    ContentType: isPlain ? contentType : FALLBACK_TYPE,
    Metadata: {
      etag,
      ...(crc32 !== undefined && { crc32: `${crc32}` }),
      ...(!isPlain && { type: encodeURIComponent(contentType) }),
    },
  };
}

/** Returns an object's metadata, even if this server did not create it. */
export function toObjectInfo(head: ObjectHead): ObjectInfo {
  const { etag, type, crc32 } = head.Metadata ?? {};
  return {
    size: head.ContentLength ?? 0,
    etag: etag ?? (head.ETag ?? '').replaceAll('"', ''),
    contentType: type ? decodeURIComponent(type) : (head.ContentType ?? FALLBACK_TYPE),
    crc32: crc32 === undefined ? undefined : Number(crc32),
  };
}

export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly keys: ReturnType<typeof createObjectKeys>;
  readonly withSharedLocks?: WithSharedLocks | undefined;
  readonly uploads: Set<string>;
}

export type WithSharedLocks = <T>(
  names: readonly string[],
  work: (signal?: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Runs an operation while no other operation, in this process or a replica that shares locks, changes these
 * objects. The signal is aborted if a lock is lost. Not all stores have conditional deletions and copies, so
 * whatever replaces, moves or deletes an object holds its lock.
 */
export function withObjectLocks<T>(
  { name, withSharedLocks }: Bucket,
  objects: readonly string[],
  work: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  const names = objects.map((key) => `s3://${name}/${key}`);
  const isShared = withSharedLocks !== undefined && names.length > 0;
  return withLocks(names, () => (isShared ? withSharedLocks(names, work) : work()));
}

/** Makes a call. If the caller aborts it, throws the reason of the abort instead of the SDK's error. */
export function send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
  { client }: Bucket,
  command: $Command<Input, Output, S3ClientResolvedConfig>,
  signal?: AbortSignal,
): Promise<Output> {
  return withS3Errors(() => client.send(command, signal && { abortSignal: signal }), signal);
}

/** Makes a call; returns `undefined` if the object, or the version in the condition, does not exist. */
export async function sendIfThere<
  Input extends ServiceInputTypes,
  Output extends ServiceOutputTypes,
>(
  bucket: Bucket,
  command: $Command<Input, Output, S3ClientResolvedConfig>,
  signal?: AbortSignal,
): Promise<Output | undefined> {
  try {
    return await send(bucket, command, signal);
  } catch (error) {
    if (isMissing(error) || isRefusedCondition(error)) return undefined;
    throw error;
  }
}

export function headObject(bucket: Bucket, key: string, signal?: AbortSignal) {
  return sendIfThere(bucket, new HeadObjectCommand({ Bucket: bucket.name, Key: key }), signal);
}

/**
 * Deletes an object. Returns whether it existed in this version; only stores with conditional deletions know.
 * @param version ETag of the version to delete; stores with conditional deletions delete no other version
 */
export async function deleteObject(
  bucket: Bucket,
  key: string,
  version?: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key, IfMatch: version });
  return (await sendIfThere(bucket, command, signal)) !== undefined;
}

export interface UploadOfParts {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** Assembles an object from parts. If that fails, no parts remain in the store. */
export async function putInParts(
  bucket: Bucket,
  object: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'> & { readonly Key: string },
  sendParts: (upload: UploadOfParts) => Promise<CompletedPart[]>,
  signal?: AbortSignal,
): Promise<void> {
  const create = new CreateMultipartUploadCommand({ Bucket: bucket.name, ...object });
  const { UploadId } = await send(bucket, create, signal);
  const upload: UploadOfParts = { Bucket: bucket.name, Key: object.Key, UploadId };
  try {
    const parts = await sendParts(upload);
    const Parts = parts.toSorted((one, other) => Number(one.PartNumber) - Number(other.PartNumber));
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await send(bucket, complete, signal);
  } catch (error) {
    // Of two errors, the first one is reported. A sweep removes what remains.
    await bucket.client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}

export interface Source {
  readonly key: string;
  readonly version: string | undefined;
}

export function toCopySource({ name }: Bucket, { key, version }: Source) {
  return {
    CopySource: `${name}/${key.split('/').map(encodeURIComponent).join('/')}`,
    CopySourceIfMatch: version,
  };
}

/** S3: "The object key name is a sequence of Unicode characters ... up to 1,024 bytes long." */
const MAX_KEY_BYTES = 1024;
/** The prefix takes its share of the key; a longer one is a mistake. */
const MAX_PREFIX_BYTES = 512;
/** Environments are host name labels (D12) without dots, so nothing collides. */
const LONG = '.long';
const UPLOADS = '.uploads';
const LABEL = /^[A-Za-z0-9-]+$/;

export function createObjectKeys(prefix: string) {
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new TypeError(`The prefix must be at most ${MAX_PREFIX_BYTES} bytes long.`);
  }
  return {
    prefix,
    uploads: `${prefix}${UPLOADS}/`,
    /**
     * `<prefix><env>/<path>`, or `<prefix>.long/<env>/<SHA-256 of the path>` if that is too long. No
     * environment can reach into another, because its name is one segment.
     */
    of({ env, path }: BlobKey): string {
      if (!LABEL.test(env)) throw new TypeError(`"${env}" is not a valid environment name.`);
      const key = `${prefix}${env}/${path}`;
      if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
      const hash = createHash('sha256').update(path).digest('hex');
      return `${prefix}${LONG}/${env}/${hash}`;
    },
  };
}

/** S3 statuses for callers without permission or with too many requests; RFC 9110 for the rest. */
const UNAVAILABLE_STATUSES: readonly number[] = [301, 307, 401, 403, 408, 429];
/** Error codes with another status and the same meaning. */
const UNAVAILABLE_NAMES: readonly string[] = [
  'AuthorizationHeaderMalformed',
  'BadDigest',
  'ExpiredToken',
  'IncompleteBody',
  'InvalidToken',
  'NoSuchBucket',
  'RequestTimeout',
  'TokenRefreshRequired',
];

export function statusOf(error: unknown): number | undefined {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode;
}

export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';
}

/**
 * Returns whether a call failed because of its condition: the object already exists, or has a different
 * version.
 */
export function isRefusedCondition(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Converts an SDK error; only errors caused by our own mistakes are kept as is. */
function toS3Error(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailableError) return error;
  const status = statusOf(error);
  if (status === undefined || isUnavailable(status, error.name)) {
    // A store's messages may quote what it was sent; names and numbers do not.
    const { code } = error as NodeJS.ErrnoException;
    const reason = [code ?? error.name, status].filter(Boolean).join(', ');
    return new StoreUnavailableError(`Cannot use the object store: ${reason}.`, {
      cause: error,
    });
  }
  return error;
}

function isUnavailable(status: number, name: string): boolean {
  return status >= 500 || UNAVAILABLE_STATUSES.includes(status) || UNAVAILABLE_NAMES.includes(name);
}

export async function withS3Errors<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    signal?.throwIfAborted();
    return await call();
  } catch (error) {
    signal?.throwIfAborted();
    throw toS3Error(error);
  }
}
