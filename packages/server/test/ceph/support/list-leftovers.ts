import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { S3BlobStoreOptions } from '../../../src/blobs/s3/create-s3-blob-store.ts';
import { newClient } from './use-ceph.ts';

/** Names of unfinished uploads, and of whole ones that are not in their place. */
export async function listLeftovers({
  endpoint = '',
  bucket: Bucket,
  prefix = '',
}: S3BlobStoreOptions): Promise<readonly string[]> {
  const client = newClient(endpoint);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  const list = new ListObjectsV2Command({ Bucket, Prefix: `${prefix}.uploads/` });
  const { Contents = [] } = await client.send(list);
  client.destroy();
  return [...Uploads, ...Contents].map(({ Key = '' }) => Key);
}

/** Leaves an upload of one part, as a process does that is killed. */
export async function plantUpload({ endpoint = '', bucket, prefix = '' }: S3BlobStoreOptions) {
  const client = newClient(endpoint);
  const upload = { Bucket: bucket, Key: `${prefix}.uploads/planted` };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
  const part = { ...upload, UploadId, PartNumber: 1, Body: 'a part' };
  await client.send(new UploadPartCommand(part));
  client.destroy();
}
