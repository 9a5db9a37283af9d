import type { BlobStore } from '../blobs/blob-store.ts';
import { createFileBlobStore } from '../blobs/file/create-file-blob-store.ts';
import type { Config } from '../config/config.ts';

/** Opens the blob store of a configuration. */
export async function createBlobs(store: Config['store']): Promise<BlobStore> {
  if (store.driver === 'file') return createFileBlobStore({ root: store.root });
  // The SDK takes longer to load than all the rest.
  const { createS3BlobStore } = await import('../blobs/s3/create-s3-blob-store.ts');
  const { driver, accessKeyId, secretAccessKey, ...options } = store;
  return createS3BlobStore({
    ...options,
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  });
}
