import { describeOn } from '../../../../scripts/testing/engines.ts';
import { createS3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { describeBlobStore } from '../blobs/blob-store-suite.ts';
import { listLeftovers, newBucket, plantUpload, useCeph } from './support/use-ceph.ts';

describeOn('ceph', 'the store', () => {
  describeBlobStore('S3', async () => {
    const { endpoint } = await useCeph();
    const options = { ...(await newBucket(endpoint)), prefix: 'a prefix/' };
    const store = createS3BlobStore(options);
    const other = createS3BlobStore(options);
    return {
      store,
      other,
      leftovers: () => listLeftovers(options),
      plantLitter: () => plantUpload(options),
      dispose: async () => {
        await Promise.all([store.close(), other.close()]);
      },
    };
  });
});
