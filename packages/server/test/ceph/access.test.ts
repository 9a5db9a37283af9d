import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';

import {
  createS3BlobStore,
  type S3BlobStoreOptions,
} from '../../src/blobs/s3/create-s3-blob-store.ts';
import { readAll, toBytes, toStream } from '../blobs/blob-contents.ts';
import { newBucket, useCeph } from './support/use-ceph.ts';

const KEY = { env: 'dev', path: '照片/a b?.txt' };

describeOn('ceph', 'access to the store', () => {
  let options: S3BlobStoreOptions;
  let store: BlobStore;

  beforeAll(async () => {
    options = await newBucket((await useCeph()).endpoint);
    store = createS3BlobStore(options);
    await store.write(KEY, toStream(Buffer.from('text')), { contentType: 'text/html' });
  });
  afterAll(() => store?.close());

  test('readers that disconnect leave no connection behind', async () => {
    const key = { env: 'dev', path: 'large' };
    await store.write(key, toStream(toBytes(6_000_000)), { contentType: 'a/b' });
    const isOpen = (name: string) => name === 'TCPSocketWrap';
    const before = process.getActiveResourcesInfo().filter(isOpen).length;
    for (let reader = 0; reader < 20; reader++) {
      const blob = await store.open(key);
      if (reader % 2 === 0) await blob?.close();
      else {
        const stream = blob?.read({ start: reader * 100_000, end: 5_999_999 });
        await new Promise((resolve) => stream?.once('data', resolve));
        stream?.destroy();
      }
    }
    await expect
      .poll(() => process.getActiveResourcesInfo().filter(isOpen).length)
      .toBeLessThanOrEqual(before + 2);
    expect((await readAll(store, key))?.length).toBe(6_000_000);
  });
});
