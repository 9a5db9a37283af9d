import { describeOn } from '../../../../scripts/testing/engines.ts';
import { createS3Store } from '../../src/store/s3.ts';
import { describeBlobStore } from '../store/blob-store-suite.ts';
import { listLeftovers, newBucket, plantUpload, useCeph } from './support/use-ceph.ts';

describeOn('ceph', 'the store', () => {
  describeBlobStore('S3', async () => {
    const { endpoint } = await useCeph();
    const options = { ...(await newBucket(endpoint)), prefix: 'a prefix/' };
    const store = createS3Store(options);
    const other = createS3Store(options);
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
