import {
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectKeys } from './object-keys.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';

/** A bucket, and how to reach it. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly keys: ObjectKeys;
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

export async function deleteObject({ client, name }: Bucket, key: string): Promise<void> {
  await withS3Errors(() => client.send(new DeleteObjectCommand({ Bucket: name, Key: key })));
}

export function toCallOptions(signal: AbortSignal | undefined) {
  return signal ? { abortSignal: signal } : {};
}
