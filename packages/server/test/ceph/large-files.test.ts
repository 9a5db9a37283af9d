import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOn } from '../../../../scripts/testing/engines.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import {
  createS3BlobStore,
  type S3BlobStoreOptions,
} from '../../src/blobs/s3/create-s3-blob-store.ts';
import { readAll, toBrokenStream, toBytes, toStream } from '../blobs/blob-contents.ts';
import { listLeftovers, newBucket, useCeph } from './support/use-ceph.ts';

const MEBIBYTE = 1024 * 1024;
const TYPE = { contentType: 'video/mp4' };

describeOn('ceph', 'large files', () => {
  const bytes = toBytes(64 * MEBIBYTE + 5, 7);
  const key = { env: 'dev', path: 'films/large.mp4' };
  let options: S3BlobStoreOptions;
  let store: BlobStore;

  beforeAll(async () => {
    options = await newBucket((await useCeph()).endpoint);
    store = createS3BlobStore(options);
  });
  afterAll(() => store?.close());

  test('are sent in parts', async () => {
    const written = await store.write(key, toStream(bytes), TYPE);
    expect(written).toMatchObject({ size: bytes.length, contentType: 'video/mp4' });
    expect(await store.stat(key)).toEqual(written);
    expect((await readAll(store, key))?.equals(bytes)).toBe(true);
    expect(await listLeftovers(options)).toEqual([]);
  });

  test('are read in parts of the old version after a replacement', async () => {
    const blob = await store.open(key);
    await store.write(key, toStream(Buffer.from('new')), TYPE);
    const start = 20 * MEBIBYTE;
    const chunks: Buffer[] = [];
    for await (const chunk of blob?.read({ start, end: start + 9 }) ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(bytes.subarray(start, start + 10));
    await store.write(key, toStream(bytes), TYPE);
  });

  test('leave nothing if they are interrupted after some parts', async () => {
    const to = { env: 'dev', path: 'broken' };
    const half = bytes.subarray(0, 30 * MEBIBYTE);
    const torn = toBrokenStream(half, (stream) => stream.destroy(new Error('torn')));
    await expect(store.write(to, torn, TYPE)).rejects.toThrow('torn');
    const controller = new AbortController();
    const aborted = toBrokenStream(half, () => controller.abort(new Error('given up')));
    await expect(store.write(to, aborted, { ...TYPE, signal: controller.signal })).rejects.toThrow(
      'given up',
    );
    expect(await store.stat(to)).toBeUndefined();
    expect(await listLeftovers(options)).toEqual([]);
  });
});
