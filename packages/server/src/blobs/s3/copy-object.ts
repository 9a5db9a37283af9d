import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { BlobInfo } from '../blob-store.ts';
import { type Bucket, toCallOptions } from './bucket.ts';
import { toObjectHeaders } from './object-info.ts';
import { withS3Errors } from './to-s3-error.ts';

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
export const MAX_SINGLE_BYTES = 5 * 1024 ** 3;
const COPIED_PART_BYTES = 1024 ** 3;

/** One version of an object. */
export interface Source {
  readonly key: string;
  readonly version: string | undefined;
}

/** Copies inside of the store, atomically, over whatever is there. */
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
  const { client, name } = bucket;
  const target = { Bucket: name, Key: key };
  const options = toCallOptions(signal);
  await withS3Errors(async () => {
    const create = new CreateMultipartUploadCommand({ ...target, ...toObjectHeaders(info) });
    const upload = { ...target, UploadId: (await client.send(create, options)).UploadId };
    try {
      const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
      for (let start = 0; start < info.size; start += COPIED_PART_BYTES) {
        const part = {
          ...upload,
          ...toCopySource(bucket, source),
          PartNumber: Parts.length + 1,
          CopySourceRange: `bytes=${start}-${Math.min(start + COPIED_PART_BYTES, info.size) - 1}`,
        };
        const { CopyPartResult } = await client.send(new UploadPartCopyCommand(part), options);
        Parts.push({ PartNumber: part.PartNumber, ETag: CopyPartResult?.ETag });
      }
      const whole = { ...upload, MultipartUpload: { Parts } };
      await client.send(new CompleteMultipartUploadCommand(whole), options);
    } catch (error) {
      // Of two failures, the first one is told. A sweep removes what stays.
      await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
      throw error;
    }
  }, signal);
}

function toCopySource({ name }: Bucket, { key, version }: Source) {
  return {
    CopySource: `${name}/${key.split('/').map(encodeURIComponent).join('/')}`,
    CopySourceIfMatch: version,
  };
}
