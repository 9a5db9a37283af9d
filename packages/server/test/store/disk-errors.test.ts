import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailableError } from '@berth/storage';
import { expect, test } from 'vitest';
import { openDiskStore } from '../../src/store/disk/disk-store.ts';
import { fsck } from '../../src/store/disk/fsck.ts';
import { startDeployment } from '../attacks/support/start-deployment.ts';
import { toBytes, toStream } from './blob-contents.ts';
import { mountSmallDisk } from './small-disk.ts';

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
  const store = await openDiskStore({ root });
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

test('a full or read-only disk gets the documented error, and recovers without a restart', async (context) => {
  const disk = await mountSmallDisk('size=6m');
  if ('reason' in disk) return context.skip(disk.reason);
  const store = { driver: 'file' as const, root: disk.folder };
  const { dev, adminUrl, server } = await startDeployment({ store });
  const upload = async (path: string, content: string | Uint8Array<ArrayBuffer>) => {
    const response = await dev.upload(path, content);
    const { status, headers } = response;
    return [status, headers.get('retry-after'), errorCodeOf(await response.text())];
  };
  const UNAVAILABLE = [503, expect.stringMatching(/^[1-9]/), 'ServiceUnavailable'];
  const changes = [
    ['batchCopyFile', { srcPath: '/a.txt', dstPath: '/b.txt', overwrite: true }],
    ['batchCopyFile', { srcPath: '/a.txt', dstPath: '/c.txt', removeOriginal: true }],
    ['batchDelete', 'cloud://dev.files/b.txt'],
  ] as const;
  const change = (at: number) => dev.call(changes[at]?.[0] ?? '', { fileList: [changes[at]?.[1]] });
  await upload('a.txt', 'old');
  expect(await upload('a.txt', new Uint8Array(8 * MEBIBYTE))).toEqual(UNAVAILABLE);
  expect(await dev.read('a.txt')).toBe('old');
  await disk.remount('ro');
  expect(await upload('a.txt', 'new')).toEqual(UNAVAILABLE);
  for (const at of [0, 1])
    expect(await change(at)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  const ready = await (await fetch(`${adminUrl}/readyz`)).text();
  expect(ready).toContain('read-only file system (EROFS)');
  expect(await dev.read('a.txt')).toBe('old');
  await disk.remount('rw');
  expect(await upload('b.txt', new Uint8Array(MEBIBYTE))).toEqual([204, null, undefined]);
  for (const at of [0, 1, 2]) expect(await change(at)).toMatchObject({ status: 200 });
  expect(await dev.read('c.txt')).toBe('old');
  await disk.remount('ro');
  await server.close();
  await expect(fetch(`${adminUrl}/readyz`)).rejects.toThrow();
});

const errorCodeOf = (xml: string) => /<Code>(\w+)/.exec(xml)?.[1];
