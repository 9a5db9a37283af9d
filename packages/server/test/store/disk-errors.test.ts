import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobKey, StoreUnavailableError } from '@berth/storage';
import { expect, test } from 'vitest';
import { openDiskStore } from '../../src/store/disk/disk-store.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import { readAll, toBytes, toStream } from './blob-contents.ts';
import { mountSmallDisk } from './temp-folder.ts';

const MEBIBYTE = 1024 * 1024;
const options = { contentType: 'a/b' };

async function expectOrder(root: string): Promise<void> {
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
  await fsck(root, { onProblem: ({ path, detail }) => expect.fail(`${path}: ${detail}`) });
}

test('survives a disk that is full at any byte, including the trailer', async (context) => {
  const disk = await mountSmallDisk('size=1m');
  if ('reason' in disk) return context.skip(disk.reason);
  const root = disk.folder;
  const store = await openDiskStore(root);
  const outcomes = new Set<string>();
  // Some sizes leave 64 bytes of the last page for the trailer, which then does not fit.
  for (let size = MEBIBYTE - 16_384 - 64; size <= MEBIBYTE + 4096; size += 1024) {
    const path = `${size}`;
    try {
      await store.write({ env: 'dev', path }, toStream(toBytes(size)), options);
      expect(await store.stat({ env: 'dev', path })).toMatchObject({ size });
      expect(await store.delete({ env: 'dev', path })).toBe(true);
      outcomes.add('written');
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailableError);
      expect(await store.stat({ env: 'dev', path })).toBeUndefined();
      outcomes.add('full');
    }
    await expectOrder(root);
  }
  expect([...outcomes]).toEqual(['written', 'full']);
});

test('survives a disk that becomes read-only, and recovers', async (context) => {
  const disk = await mountSmallDisk('size=1m');
  if ('reason' in disk) return context.skip(disk.reason);
  const store = await openDiskStore(disk.folder);
  const [key, copy] = ['a', 'b'].map((path) => ({ env: 'dev', path })) as [BlobKey, BlobKey];
  const changes = [
    () => store.write(key, toStream(toBytes(1000)), options),
    () => store.copy(key, copy, { overwrite: true }),
    () => store.copy(copy, key, { overwrite: true, move: true }),
    () => store.check(),
    () => store.delete(key),
  ];
  await changes[0]?.();
  await disk.remount('ro');
  for (const change of changes.filter((_, index) => index !== 2)) {
    await expect(change()).rejects.toThrow(
      'The disk cannot be used: read-only file system (EROFS).',
    );
  }
  expect(await readAll(store, key)).toEqual(toBytes(1000));
  await disk.remount('rw');
  for (const change of changes) await change();
});
