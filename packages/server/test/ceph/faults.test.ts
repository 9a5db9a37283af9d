import { describeOn } from '@berth/runtimes/engines';
import { startStopwatch } from '@berth/runtimes/stopwatch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BlobStore, StoreUnavailableError } from '../../src/blobs/blob-store.ts';

import { createS3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { readAll, toBytes, toStream } from '../blobs/blob-contents.ts';
import { type Ceph, startCeph, tellCeph } from './support/start-ceph.ts';
import { newBucket } from './support/use-ceph.ts';

const TYPE = { contentType: 'a/b' };
const FILES = 50;

describeOn('ceph', 'a separate store with three disks', () => {
  const bytes = toBytes(10_000_000);
  const keyOf = (index: number) => ({ env: 'dev', path: `files/${index}` });
  let ceph: Ceph;
  let store: BlobStore;

  const writeAll = (from: number) =>
    Promise.all(
      Array.from({ length: FILES }, (_, index) => {
        const content = toStream(Buffer.from(`content ${from + index}`));
        return store.write(keyOf(from + index), content, TYPE);
      }),
    );
  const expectAll = async (from: number) => {
    for (let index = from; index < from + FILES; index++) {
      expect((await readAll(store, keyOf(index)))?.toString()).toBe(`content ${index}`);
    }
  };

  beforeAll(async () => {
    ceph = await startCeph(3);
    await ceph.ready;
    store = createS3BlobStore(await newBucket(ceph.endpoint));
    await writeAll(0);
  });
  afterAll(async () => {
    await store?.close();
    await ceph?.stop();
  });

  test('continues when one of three disks is killed', async () => {
    await tellCeph('kill-osd', ceph.folder, '1');
    await expectAll(0);
    await writeAll(FILES);
    await expectAll(FILES);
    const large = { env: 'dev', path: 'large' };
    await store.write(large, toStream(bytes), TYPE);
    expect((await readAll(store, large))?.equals(bytes)).toBe(true);
  });

  test('is soon unavailable without its gateway, and recovers without a restart', async () => {
    await tellCeph('stop-gateway', ceph.folder);
    const time = startStopwatch();
    const key = keyOf(0);
    const calls = [
      store.check(),
      store.stat(key),
      store.open(key),
      store.delete(key),
      store.write(key, toStream(Buffer.from('new')), TYPE),
      store.write(key, toStream(bytes), TYPE),
      store.copy(key, keyOf(1), { overwrite: true }),
      store.copy(key, keyOf(1000), { overwrite: false }),
      store.sweep(new Date()),
    ];
    for (const result of await Promise.allSettled(calls)) {
      const error = result.status === 'rejected' ? result.reason : undefined;
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(error.message).toContain('ECONNREFUSED');
    }
    // Attempts and the pauses between them.
    expect(time()).toBeLessThan(15_000);

    await tellCeph('start-gateway', ceph.folder);
    await store.check();
    await expectAll(0);
    await writeAll(0);
  });
});
