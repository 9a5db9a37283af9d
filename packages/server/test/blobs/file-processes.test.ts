import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { startChild } from './children/start-child.ts';
import { expectOneWinner } from './expect-one-winner.ts';
import { useTempFolder } from './temp-folder.ts';

const PLACES = 300;

test('of two processes that copy to one place without overwriting, one succeeds', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  await expectOneWinner(store, PLACES, (source) =>
    startChild('race-copies.ts', [root, source, `${PLACES}`]),
  );
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
});
