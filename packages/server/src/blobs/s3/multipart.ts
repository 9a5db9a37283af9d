import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
} from '@aws-sdk/client-s3';
import { type Bucket, toCallOptions } from './bucket.ts';
import { withS3Errors } from './to-s3-error.ts';

/** What the calls for one part have to say. */
export interface UploadOfParts {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** One part that the store has. */
export interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/** Puts an object together from parts; whatever fails leaves nothing of it. */
export async function putInParts(
  { client, name }: Bucket,
  object: Omit<CreateMultipartUploadCommandInput, 'Bucket' | 'Key'> & { readonly Key: string },
  send: (upload: UploadOfParts) => Promise<SentPart[]>,
  signal?: AbortSignal,
): Promise<void> {
  const options = toCallOptions(signal);
  const create = new CreateMultipartUploadCommand({ Bucket: name, ...object });
  const { UploadId } = await withS3Errors(() => client.send(create, options), signal);
  const upload: UploadOfParts = { Bucket: name, Key: object.Key, UploadId };
  try {
    const parts = await send(upload);
    const Parts = parts.toSorted((one, other) => one.PartNumber - other.PartNumber);
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await withS3Errors(() => client.send(complete, options), signal);
  } catch (error) {
    // Of two failures, the first one is told. A sweep removes what stays.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}
