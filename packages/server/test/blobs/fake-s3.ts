import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { createS3BlobStore, type S3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { startService } from '../server/support/hosted-service.ts';

/** A store over S3 whose responses are those of the listener. */
export async function storeOf(listener: RequestListener): Promise<S3BlobStore> {
  const store = createS3BlobStore({
    endpoint: await startService(listener),
    region: 'us-east-1',
    bucket: 'files',
    accessKeyId: 'key',
    secretAccessKey: 'the-secret',
  });
  onTestFinished(() => store.close());
  return store;
}
