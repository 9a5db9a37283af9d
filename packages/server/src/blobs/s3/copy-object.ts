import { CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import type { BlobInfo } from '../blob-store.ts';
import { type Bucket, toCallOptions } from './bucket.ts';
import { putInParts, type SentPart, type UploadOfParts } from './multipart.ts';
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
