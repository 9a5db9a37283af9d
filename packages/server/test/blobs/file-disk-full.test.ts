import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/blobs/blob-store.ts';
import { checkFileStore } from '../../src/blobs/file/check-file-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toBytes, toStream } from './blob-contents.ts';
import { startChild } from './children/start-child.ts';
import { mountSmallDisk, useTempFolder } from './temp-folder.ts';

const MEBIBYTE = 1024 * 1024;
const options = { contentType: 'a/b' };

async function expectOrder(root: string): Promise<void> {
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
  await checkFileStore(root, {
    onProblem: ({ path, detail }) => expect.fail(`${path}: ${detail}`),
  });
}

test('survives a disk that is full at any byte, including the trailer', async (context) => {
  const disk = await mountSmallDisk('size=1m');
  if ('reason' in disk) return context.skip(disk.reason);
  const root = disk.folder;
  const store = await createFileBlobStore({ root });
  const outcomes = new Set<string>();
  for (let size = MEBIBYTE - 16_384; size <= MEBIBYTE + 4096; size += 512) {
    const path = `${size}`;
    try {
      await store.write({ env: 'dev', path }, toStream(toBytes(size)), options);
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

test('a disk without space for another folder', async (context) => {
  const disk = await mountSmallDisk('size=4m,nr_inodes=6');
  if ('reason' in disk) return context.skip(disk.reason);
  const root = disk.folder;
  const store = await createFileBlobStore({ root });
  const deep = { env: 'dev', path: 'folder/file' };
  const write = store.write(deep, toStream(Buffer.from('x')), options);
  await expect(write).rejects.toThrow(StoreUnavailableError);
  expect(await store.stat(deep)).toBeUndefined();
  await expectOrder(root);
});

test('a file size limit of the process', async (context) => {
  if (process.platform !== 'linux') return context.skip('prlimit is a command of Linux');
  const root = await useTempFolder();
  const args = [root, `${3 * MEBIBYTE}`];
  const child = startChild('write-too-much.ts', args, ['prlimit', `--fsize=${2 * MEBIBYTE}`]);
  for await (const line of child.lines) {
    expect(JSON.parse(line)).toEqual({ name: 'StoreUnavailableError', code: 'EFBIG' });
  }
  expect(await child.ended).toBe(0);
  await expectOrder(root);
});
