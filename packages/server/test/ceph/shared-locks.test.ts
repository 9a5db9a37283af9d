import { Readable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createS3BlobStore } from '../../src/blobs/s3/create-s3-blob-store.ts';
import { createShared } from '../../src/shared/create-shared.ts';
import { startRedis } from '../shared/support/start-redis.ts';
import { newBucket, useCeph } from './support/use-ceph.ts';

// The stores of this test share no locks within the process, as if each had a process of its own.
vi.mock('../../src/blobs/key-locks.ts', () => ({
  withLocks: (_names: readonly string[], work: () => Promise<unknown>) => work(),
}));

const ROUNDS = 3;
const from = { env: 'dev', path: 'file' };

/** Two stores of one bucket, which share locks. */
async function openStores(): Promise<[BlobStore, BlobStore]> {
  const options = await newBucket((await useCeph()).endpoint);
  const { port } = await startRedis();
  const open = async () => {
    const shared = await createShared(
      { url: `redis://127.0.0.1:${port}`, prefix: '', failClosed: true },
      () => {},
      () => {},
    );
    const store = createS3BlobStore({ ...options, withSharedLocks: shared.withLocks });
    onTestFinished(() => store.close());
    onTestFinished(shared.close);
    return store;
  };
  return [await open(), await open()];
}

const putFile = (store: BlobStore) =>
  store.write(from, Readable.from([Buffer.from('content')]), { contentType: 'text/plain' });

describeOn('ceph', 'replicas', () =>
  describeOn('redis', 'that share locks', () => {
    test('only one of two deletions finds a file, and only one of two moves', async () => {
      const stores = await openStores();
      for (let round = 0; round < ROUNDS; round += 1) {
        await putFile(stores[0]);
        const deleted = await Promise.all(stores.map((store) => store.delete(from)));
        expect(deleted.toSorted()).toEqual([false, true]);

        await putFile(stores[0]);
        const moved = await Promise.allSettled(
          stores.map((store, index) =>
            store.copy(
              from,
              { env: 'dev', path: `moved-${index}` },
              { overwrite: true, move: true },
            ),
          ),
        );
        expect(moved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      }
    });
  }),
);
