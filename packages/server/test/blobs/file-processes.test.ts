import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

test('marks uploads as alive for other processes when it sweeps', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  const content = new PassThrough();
  const upload = store.write({ env: 'dev', path: 'slow' }, content, { contentType: 'a/b' });
  await expect.poll(() => readdir(join(root, 'tmp'))).toHaveLength(1);
  const [name = ''] = await readdir(join(root, 'tmp'));
  const before = await stat(join(root, 'tmp', name));
  const toChanged = async () => {
    await store.sweep();
    return (await stat(join(root, 'tmp', name))).ctimeMs;
  };
  await expect.poll(toChanged).toBeGreaterThan(before.ctimeMs);
  content.end('content');
  expect(await upload).toMatchObject({ size: 7 });
});

describe('a lock', () => {
  const key = { env: 'dev', path: 'file' };
  const write = (store: BlobStore) =>
    store.write(key, toStream(Buffer.from('x')), { contentType: 'a/b' });

  async function plantLock() {
    const root = await useTempFolder();
    const store = await createFileBlobStore({ root });
    const name = createHash('sha256').update(toDiskPath(key)).digest('hex');
    const lock = join(root, 'tmp', `${name}.lock`);
    await writeFile(lock, '');
    return { store, lock };
  }

  test('of another process is waited for', async () => {
    const { store, lock } = await plantLock();
    const written = write(store);
    expect(await store.stat(key)).toBeUndefined();
    await rm(lock);
    await written;
    expect(await store.stat(key)).toBeDefined();
  });

  test('of a process that was killed is replaced', async () => {
    const { store } = await plantLock();
    let time = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      time += 1_000;
      return time;
    });
    onTestFinished(() => void vi.restoreAllMocks());
    await Promise.all(Array.from({ length: 3 }, () => write(store)));
    expect(await store.stat(key)).toBeDefined();
  });

  test('is kept when the clock jumps', async () => {
    const { store, lock } = await plantLock();
    const minuteAgo = new Date(Date.now() - 60_000);
    await utimes(lock, minuteAgo, minuteAgo);
    const looks = vi.spyOn(performance, 'now');
    onTestFinished(() => void vi.restoreAllMocks());
    const written = write(store);
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(50);
    expect(await store.stat(key)).toBeUndefined();
    await rm(lock);
    await written;
  });
});
