import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { md5Of, toBytes } from '../../../test/blobs/blob-contents.ts';
import { createMd5, createMd5Thread } from './create-md5.ts';

import { SLAB_BYTES } from './slab.ts';

async function hash(bytes: Buffer, chunkBytes: number): Promise<string> {
  const md5 = createMd5();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    await md5.update(bytes.subarray(at, at + chunkBytes));
  }
  return md5.digest();
}

describe.each([1000, 65_536, SLAB_BYTES, 3 * SLAB_BYTES + 1])(
  'chunks of %i bytes',
  (chunkBytes) => {
    test.each([
      0,
      1,
      SLAB_BYTES - 1,
      SLAB_BYTES,
      SLAB_BYTES + 1,
      2 * SLAB_BYTES,
      9 * SLAB_BYTES + 123,
    ])('the MD5 of %i bytes', async (size) => {
      const bytes = toBytes(size, size);
      expect(await hash(bytes, chunkBytes)).toBe(md5Of(bytes));
    });
  },
);

test('contents that come at once are kept apart', async () => {
  const contents = Array.from({ length: 20 }, (_, index) => toBytes(2_500_000 + index, index));
  const digests = await Promise.all(contents.map((bytes) => hash(bytes, 100_000)));
  expect(digests).toEqual(contents.map(md5Of));
});

test('a chunk may be changed as soon as it was taken', async () => {
  const bytes = toBytes(4 * SLAB_BYTES);
  const chunk = Buffer.alloc(SLAB_BYTES / 2);
  const md5 = createMd5();
  for (let at = 0; at < bytes.length; at += chunk.length) {
    bytes.copy(chunk, 0, at);
    await md5.update(chunk);
    chunk.fill(0);
  }
  expect(await md5.digest()).toBe(md5Of(bytes));
});

test('asks to wait where the thread is behind, and goes on', async () => {
  const md5 = createMd5();
  const bytes = toBytes(16 * SLAB_BYTES);
  const room = md5.update(bytes);
  expect(room).toBeInstanceOf(Promise);
  await room;
  expect(await md5.digest()).toBe(md5Of(bytes));
});

test('a content that is given up fails its digest, lets go of whoever waits, and harms no other', async () => {
  const md5 = createMd5();
  const room = md5.update(toBytes(16 * SLAB_BYTES));
  const digest = md5.digest();
  md5.destroy();
  await room;
  await expect(digest).rejects.toThrow('given up');
  md5.destroy();
  expect(md5.update(toBytes(10))).toBeUndefined();
  expect(await hash(toBytes(3_000_000), 50_000)).toBe(md5Of(toBytes(3_000_000)));
});

test('contents that are given up hold no memory, neither here nor in the thread', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const bytes = toBytes(4 * SLAB_BYTES);
  const memory = () => process.memoryUsage().arrayBuffers;
  collect();
  const before = memory();
  for (let round = 0; round < 8; round++) {
    const contents = Array.from({ length: 50 }, () => createMd5());
    for (const md5 of contents) md5.update(bytes);
    for (const md5 of contents) md5.destroy();
    // The thread has done what it was asked for before.
    await hash(bytes, SLAB_BYTES);
    collect();
  }
  expect(memory() - before).toBeLessThan(100 * SLAB_BYTES);
});

test('a thread that ends tells whoever waits for it', async () => {
  const thread = createMd5Thread();
  const failure = new Promise<Error>((resolve) => {
    thread.add(1, { read() {}, digest() {}, fail: resolve });
  });
  // Not one of its requests: it throws.
  thread.post({ kind: 'update', id: 1, slab: new ArrayBuffer(1), length: 2 });
  expect((await failure).message).toMatch(/length/);
  expect(thread.isGone).toBe(true);
  expect(thread.load).toBe(0);
});
