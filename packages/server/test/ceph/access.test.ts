import { inspect } from 'node:util';
import { describeOn } from '@berth/runtimes/engines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BlobStore, StoreUnavailableError } from '../../src/blobs/blob-store.ts';

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
    options = { ...(await newBucket((await useCeph()).endpoint)), presignedLinks: true };
    store = createS3BlobStore(options);
    await store.write(KEY, toStream(Buffer.from('text')), { contentType: 'text/html' });
  });
  afterAll(() => store?.close());

  test.each([
    ['a wrong secret', { credentials: { accessKeyId: 'testkey', secretAccessKey: 'not-it' } }],
    ['an unknown key', { credentials: { accessKeyId: 'nobody', secretAccessKey: 'not-it' } }],
    ['a missing bucket', { bucket: 'no-such-bucket' }],
  ])('%s makes the store unavailable, and reveals no secret', async (_, wrong) => {
    const broken = createS3BlobStore({ ...options, ...wrong });
    const calls = [
      broken.check(),
      broken.write(KEY, toStream(Buffer.from('x')), { contentType: 'a/b' }),
      broken.open(KEY),
      broken.sweep(new Date()),
    ];
    for (const result of await Promise.allSettled(calls)) {
      const error = result.status === 'rejected' ? result.reason : undefined;
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.cause).toBeInstanceOf(Error);
      expect(inspect(error)).not.toMatch(/not-it|testsecret/);
    }
    await broken.close();
  });

  test('a link of the store serves the file as a download, and expires', async () => {
    const link = await store.presign?.(KEY, 60);
    const response = await fetch(link ?? '');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('content-disposition')).toBe('attachment');
    expect(await response.text()).toBe('text');
    const other = (link ?? '').replace('/dev/', '/prod/');
    expect((await fetch(other)).status).toBe(403);
    const short = await store.presign?.(KEY, 2);
    const statusLater = async () => {
      const late = await fetch(short ?? '');
      await late.body?.cancel();
      return late.status;
    };
    await expect.poll(statusLater, { interval: 200 }).toBe(403);
  });

  test('creates no links of the store by default', async () => {
    const plain = createS3BlobStore({ ...options, presignedLinks: false });
    expect(plain.presign).toBeUndefined();
    await plain.close();
  });

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
