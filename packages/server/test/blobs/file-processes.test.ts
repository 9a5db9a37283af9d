import { createHash } from 'node:crypto';
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { readAll, toStream } from './blob-contents.ts';
import { startChild } from './children/start-child.ts';
import { expectOneWinner } from './expect-one-winner.ts';
import { useTempFolder } from './temp-folder.ts';

const PLACES = 300;

test('lets one of two processes copy to a place without overwriting', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  await expectOneWinner(store, PLACES, (source) =>
    startChild('race-copies.ts', [root, source, `${PLACES}`]),
  );
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
});

test('lets one of two processes move a file', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  for (let index = 0; index < PLACES; index++) {
    const content = toStream(Buffer.from(`${index}`));
    await store.write({ env: 'dev', path: `from/${index}` }, content, { contentType: 'a/b' });
  }
  const racers = ['red', 'blue'].map((name) => {
    const child = startChild('race-moves.ts', [root, name, `${PLACES}`]);
    return { name, child, lines: child.lines[Symbol.asyncIterator]() };
  });
  for (const { lines } of racers) expect((await lines.next()).value).toBe('ready');
  for (const { child } of racers) child.process.stdin?.write('go');
  const won: number[] = [];
  for (const { name, lines } of racers) {
    const indexes: number[] = JSON.parse((await lines.next()).value);
    won.push(...indexes);
    for (const index of indexes) {
      const moved = await readAll(store, { env: 'dev', path: `${name}/${index}` });
      expect(moved?.toString()).toBe(`${index}`);
    }
  }
  expect(won.toSorted((one, other) => one - other)).toEqual([...Array(PLACES).keys()]);
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
});

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
