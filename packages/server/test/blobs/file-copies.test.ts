import { linkSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlobKey } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { readAll, toBytes, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

/** More names than ext4 (65,000) and XFS with small inodes give one file. */
const MANY = 70_000;
const from = { env: 'dev', path: 'from' };
const to = { env: 'dev', path: 'to' };

async function createStore() {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  const bytes = toBytes(100_000);
  await store.write(from, toStream(bytes), { contentType: 'a/b' });
  const fileOf = (key: BlobKey) => join(root, 'files', toDiskPath(key));
  return { root, store, bytes, fileOf };
}

test('a copy takes no room: it is one more name of the file', async () => {
  const { store, fileOf } = await createStore();
  await store.copy(from, to, { overwrite: false });
  expect(statSync(fileOf(to)).ino).toBe(statSync(fileOf(from)).ino);
  expect(statSync(fileOf(to)).nlink).toBe(2);
});

test.for([true, false])(
  'a file that can have no more names is copied all the same, overwrite %j',
  async (overwrite, context) => {
    const { root, store, bytes, fileOf } = await createStore();
    const names = await useTempFolder();
    const refusal = findRefusal(fileOf(from), names);
    if (refusal === undefined) return context.skip('this disk sets no limit to names of a file');
    const source = await store.stat(from);
    expect(await store.copy(from, to, { overwrite })).toEqual(source);
    expect((await readAll(store, to))?.equals(bytes)).toBe(true);
    expect(statSync(fileOf(to)).nlink).toBe(1);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  },
);

/** Gives a file names until the disk refuses; undefined where it never does. */
function findRefusal(file: string, names: string): unknown {
  try {
    for (let index = 0; index < MANY; index++) linkSync(file, join(names, `${index}`));
    return undefined;
  } catch (error) {
    return error;
  }
}
