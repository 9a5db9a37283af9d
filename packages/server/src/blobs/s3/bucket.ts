import {
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { withLocks } from '../key-locks.ts';
import type { ObjectKeys } from './object-keys.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';

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
