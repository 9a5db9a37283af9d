import { once } from 'node:events';
import { StoreUnavailableError } from '@berth/storage';
import { expect, onTestFinished, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import { S3Store } from '../../src/store/s3/s3-store.ts';
import { createReader, toBytes, toStream } from '../store/blob-contents.ts';
import { describeBlobStore, sweepLater } from '../store/blob-store-suite.ts';
import { listLeftovers, newBucket, plantUpload, useCeph } from './support/use-ceph.ts';

describeOn('ceph', 'the store', () => {
  describeBlobStore('S3', async () => {
    const options = { ...(await newBucket(useCeph().endpoint)), prefix: 'a prefix/' };
    const store = new S3Store(options);
    return {
      store,
      leftovers: () => listLeftovers(options),
      leavePartialUpload: () => plantUpload(options),
      dispose: () => store.close(),
    };
  });

  test('a sweep keeps the uploads of other processes for a week, and those outside its prefix', async () => {
    const options = await newBucket(useCeph().endpoint);
    const store = new S3Store({ ...options, prefix: 'berth/' });
    onTestFinished(() => store.close());
    for (const prefix of ['berth/', 'backups/']) await plantUpload({ ...options, prefix });
    expect(await store.sweep()).toBe(0);
    expect(await sweepLater(store)).toBe(1);
    expect(await listLeftovers(options)).toEqual(['backups/dev/planted']);
  });

  test('without its bucket, the store is unavailable, and no file is missing', async () => {
    const options = await newBucket(useCeph().endpoint);
    const store = new S3Store({ ...options, bucket: `${options.bucket}-missing` });
    onTestFinished(() => store.close());
    const key = { env: 'dev', path: 'a' };
    const to = { env: 'dev', path: 'b' };
    for (const missing of [
      () => store.stat(key),
      () => store.open(key),
      () => store.copy(key, to, { overwrite: true }),
      () => store.delete(key),
    ]) {
      await expect(missing()).rejects.toBeInstanceOf(StoreUnavailableError);
    }
  });

  test('readers that disconnect leave no connection behind', async () => {
    const store = new S3Store(await newBucket(useCeph().endpoint));
    onTestFinished(() => store.close());
    const key = { env: 'dev', path: 'a' };
    await store.write(key, toStream(toBytes(4 * 1024 * 1024)), { contentType: 'a/b' });
    const isOpen = (name: string) => name === 'TCPSocketWrap';
    const before = process.getActiveResourcesInfo().filter(isOpen).length;
    for (let round = 0; round < 5; round++) {
      await (await store.open(key))?.close();
      const stream = (await store.open(key))?.read();
      await new Promise((resolve) => stream?.once('data', resolve));
      stream?.destroy();
      const { reader, bytesOf } = createReader();
      bytesOf().catch(() => {});
      reader.destroy();
      await once(reader, 'close');
      await expect((await store.open(key))?.sendTo(reader)).rejects.toThrow();
    }
    await expect
      .poll(() => process.getActiveResourcesInfo().filter(isOpen).length)
      .toBeLessThanOrEqual(before + 2);
  });
});
