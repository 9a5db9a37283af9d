import { linkSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BlobKey } from '../../src/blobs/blob-store.ts';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { toDiskPath } from '../../src/blobs/file/to-disk-path.ts';
import { readAll, toBytes, toStream } from './blob-contents.ts';
import { useTempFolder } from './temp-folder.ts';

/** More links than ext4 (65,000) and XFS with small inodes allow for one file. */
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

test('makes a copy a hard link, which takes no space', async () => {
  const { store, fileOf } = await createStore();
  await store.copy(from, to, { overwrite: false });
  expect(statSync(fileOf(to)).ino).toBe(statSync(fileOf(from)).ino);
  expect(statSync(fileOf(to)).nlink).toBe(2);
});

test.for([true, false])(
  'copies a file with the maximum number of links, overwrite %j',
  async (overwrite, context) => {
    const { root, store, bytes, fileOf } = await createStore();
    const names = await useTempFolder();
    const refusal = findRefusal(fileOf(from), names);
    if (refusal === undefined) return context.skip('this disk does not limit the links of a file');
    const source = await store.stat(from);
    expect(await store.copy(from, to, { overwrite })).toEqual(source);
    expect((await readAll(store, to))?.equals(bytes)).toBe(true);
    expect(statSync(fileOf(to)).nlink).toBe(1);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  },
);

/** Links a file until the disk rejects; undefined if it never does. */
function findRefusal(file: string, names: string): unknown {
  try {
    for (let index = 0; index < MANY; index++) linkSync(file, join(names, `${index}`));
    return undefined;
  } catch (error) {
    return error;
  }
}
