import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BlobStore, StoreUnavailableError } from '../../src/blobs/blob-store.ts';

import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { readAll, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

const run = promisify(execFile);
const key = { env: 'dev', path: 'folder/deep/file' };
const good = { env: 'dev', path: 'good' };
let root: string;
let outside: string;
let store: BlobStore;
let place: string;

const write = (to = key) => store.write(to, toStream(Buffer.from('new')), { contentType: 'a/b' });

beforeEach(async () => {
  root = await useTempFolder();
  outside = await useTempFolder();
  store = await createFileBlobStore({ root });
  place = join(root, 'files', toDiskPath(key));
  await write(good);
});

async function expectRefused(...works: (() => Promise<unknown>)[]): Promise<void> {
  for (const work of works) {
    const name = await work().catch((error: Error) => error.name);
    expect(['StoreUnavailableError', 'BlobDamagedError']).toContain(name);
  }
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
}

const everyMethod = [
  () => write(),
  () => store.stat(key),
  () => store.open(key),
  () => store.delete(key),
  () => store.copy(key, { env: 'dev', path: 'copy' }, { overwrite: true }),
  () => store.copy(good, key, { overwrite: true }),
  () => store.copy(good, key, { overwrite: false }),
];

describe.each([
  ['the folder of the file', 1],
  ['the folder above', 2],
  ['the environment', 3],
])('%s is a link to another folder', (_, levels) => {
  test('which has a file of the store, yet is unreachable', async () => {
    await write();
    const folder = resolve(place, '../'.repeat(levels));
    await rename(folder, join(outside, 'real'));
    await symlink(join(outside, 'real'), folder);
    const file = join(outside, 'real', place.slice(folder.length));
    const before = await readFile(file);
    await expectRefused(...everyMethod);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(dirname(file))).toEqual(['file']);
  });
});

test('creates no folder behind a link, even a dangling one', async () => {
  const folder = join(root, 'files', 'dev+', 'folder+');
  await symlink(join(outside, 'not-there'), folder);
  await expectRefused(() => write());
  expect(await readdir(outside)).toEqual([]);
});

test('creates no folder inside a folder behind a link', async () => {
  await symlink(outside, join(root, 'files', 'dev+', 'folder+'));
  await expectRefused(() => write());
  expect(await readdir(outside)).toEqual([]);
});

describe('a link in the place of a file', () => {
  let target: string;

  beforeEach(async () => {
    target = join(outside, 'target');
    await write();
    // A valid file of the store, so that nothing else rejects it.
    await rename(place, target);
    await symlink(target, place);
  });

  test('is neither read nor copied', async () => {
    const [stat, open, copy] = [everyMethod[1], everyMethod[2], everyMethod[4]];
    await expectRefused(...[stat, open, copy].filter((method) => method !== undefined));
  });

  test('is replaced by a write, which keeps its target', async () => {
    const before = await readFile(target);
    await store.write(key, toStream(Buffer.from('other')), { contentType: 'a/b' });
    expect((await readAll(store, key))?.toString()).toBe('other');
    expect(await readFile(target)).toEqual(before);
  });

  test('is removed by a deletion, which keeps its target', async () => {
    expect(await store.delete(key)).toBe(true);
    expect(await readdir(outside)).toEqual(['target']);
  });
});

test.each(['files', 'tmp'])('refuses a store whose folder %s is a link', async (name) => {
  await rename(join(root, name), join(outside, name));
  await symlink(join(outside, name), join(root, name));
  await expect(createFileBlobStore({ root })).rejects.toThrow(StoreUnavailableError);
  await expectRefused(() => store.check());
});

test('accepts a root behind a link: the operator has chosen it', async () => {
  await symlink(root, join(outside, 'link'));
  const linked = await createFileBlobStore({ root: join(outside, 'link') });
  expect((await readAll(linked, good))?.toString()).toBe('new');
});

// Windows has no named pipes in folders.
test.skipIf(process.platform === 'win32')(
  'is not blocked by a named pipe in place of a file',
  async () => {
    await write();
    await store.delete(key);
    await mkdir(dirname(place), { recursive: true });
    await run('mkfifo', [place]);
    await expectRefused(everyMethod[1] ?? expect.fail, everyMethod[4] ?? expect.fail);
  },
);

test('does not serve a foreign file', async () => {
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, 'root:x:0:0:root:/root:/bin/bash\n'.repeat(100));
  await expectRefused(
    () => store.stat(key),
    () => store.open(key),
    () => store.copy(key, { env: 'dev', path: 'copy' }, { overwrite: true }),
  );
});
