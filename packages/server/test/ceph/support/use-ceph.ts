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

function newClient(endpoint: string): S3Client {
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { ...CREDENTIALS }, // the SDK adds a field
  });
}

/** Options of a store with its own bucket. */
export async function newBucket(endpoint: string): Promise<S3StoreOptions> {
  const bucket = `test-${randomUUID()}`;
  const client = newClient(endpoint);
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { endpoint, region: 'us-east-1', bucket, ...CREDENTIALS };
}

/** Names of unfinished uploads. */
export async function listLeftovers({ endpoint = '', bucket: Bucket }: S3StoreOptions) {
  const client = newClient(endpoint);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  client.destroy();
  return Uploads.map(({ Key = '' }) => Key);
}

/** Leaves an upload of one part, like a killed process. */
export async function plantUpload({ endpoint = '', bucket, prefix = '' }: S3StoreOptions) {
  const client = newClient(endpoint);
  const upload = { Bucket: bucket, Key: `${prefix}dev/planted` };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
  const part = { ...upload, UploadId, PartNumber: 1, Body: 'a part' };
  await client.send(new UploadPartCommand(part));
  client.destroy();
}
