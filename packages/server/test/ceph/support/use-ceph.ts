import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import type { S3StoreOptions } from '../../../src/store/s3/bucket.ts';

const CREDENTIALS = { accessKeyId: 'testkey', secretAccessKey: 'testsecret' };

/** The Ceph of this run. */
export function useCeph(): { readonly endpoint: string } {
  const endpoint = inject('ceph');
  if (endpoint === undefined) throw new Error('Ceph is not installed.');
  return { endpoint };
}

function send<Result>(endpoint = '', run: (client: S3Client) => Promise<Result>): Promise<Result> {
  // The SDK adds a field to the credentials.
  const options = { endpoint, region: 'us-east-1', credentials: { ...CREDENTIALS } };
  const client = new S3Client({ ...options, forcePathStyle: true });
  return run(client).finally(() => client.destroy());
}

/** Options of a store with its own bucket. */
export async function newBucket(endpoint: string): Promise<S3StoreOptions> {
  const bucket = `test-${randomUUID()}`;
  await send(endpoint, (client) => client.send(new CreateBucketCommand({ Bucket: bucket })));
  return { endpoint, region: 'us-east-1', bucket, ...CREDENTIALS };
}

/** Names of unfinished uploads. */
export async function listLeftovers({ endpoint, bucket: Bucket }: S3StoreOptions) {
  const list = new ListMultipartUploadsCommand({ Bucket });
  const { Uploads = [] } = await send(endpoint, (client) => client.send(list));
  return Uploads.map(({ Key = '' }) => Key);
}

/** Leaves an upload of one part, like a killed process. */
export async function plantUpload({ endpoint, bucket, prefix = '' }: S3StoreOptions) {
  const upload = { Bucket: bucket, Key: `${prefix}dev/planted` };
  await send(endpoint, async (client) => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    const part = { ...upload, UploadId, PartNumber: 1, Body: 'a part' };
    await client.send(new UploadPartCommand(part));
  });
}
