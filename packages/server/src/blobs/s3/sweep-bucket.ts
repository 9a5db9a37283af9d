import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { type Bucket, deleteObject } from './bucket.ts';
import { isMissing, withS3Errors } from './to-s3-error.ts';

/** The slowest upload that the server lets go on sends a part of 8 MiB within three days. */
function weekAgo(): Date {
  return new Date(Date.now() - 7 * 86_400_000);
}

/** Ends uploads to which nothing has come since, and removes whole ones that nobody has used. */
export async function sweepBucket(bucket: Bucket, olderThan = weekAgo()): Promise<number> {
  const aborted = await abortUploads(bucket, olderThan);
  return aborted + (await deleteUploads(bucket, olderThan));
}

async function abortUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const { client, name, keys } = bucket;
  let count = 0;
  let page: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let isMore = true; isMore; ) {
    const command = new ListMultipartUploadsCommand({
      Bucket: name,
      // Without a prefix, other programs may have uploads anywhere else.
      Prefix: keys.prefix || keys.uploads,
      ...page,
    });
    const found = await withS3Errors(() => client.send(command));
    for (const upload of found.Uploads ?? []) {
      if (bucket.uploads.has(upload.Key ?? '')) continue;
      if (await abortUpload(bucket, upload, olderThan)) count++;
    }
    isMore = found.IsTruncated === true;
    page = { KeyMarker: found.NextKeyMarker, UploadIdMarker: found.NextUploadIdMarker };
  }
  return count;
}

/** Whether it was there, and old. */
async function abortUpload(
  { client, name }: Bucket,
  { Key, UploadId, Initiated }: MultipartUpload,
  olderThan: Date,
): Promise<boolean> {
  if (!isOlder(Initiated, olderThan)) return false;
  const upload = { Bucket: name, Key, UploadId };
  return withS3Errors(async () => {
    try {
      // An upload may take long: what counts is when it last went on.
      let PartNumberMarker: string | undefined;
      do {
        // Not by the SDK's paginator: it never ends on Ceph, which names a next page after the last.
        const page = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker }));
        const parts = page.Parts ?? [];
        if (!parts.every(({ LastModified }) => isOlder(LastModified, olderThan))) return false;
        PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
      } while (PartNumberMarker !== undefined);
      await client.send(new AbortMultipartUploadCommand(upload));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  });
}

async function deleteUploads(bucket: Bucket, olderThan: Date): Promise<number> {
  const { client, name, keys } = bucket;
  return withS3Errors(async () => {
    let count = 0;
    const folder = { Bucket: name, Prefix: keys.uploads };
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, folder)) {
      for (const { Key, LastModified } of Contents) {
        if (Key === undefined || bucket.uploads.has(Key) || !isOlder(LastModified, olderThan))
          continue;
        await deleteObject(bucket, Key);
        count++;
      }
    }
    return count;
  });
}

function isOlder(date: Date | undefined, limit: Date): boolean {
  return date === undefined || date < limit;
}
