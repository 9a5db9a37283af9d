import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFileBlobStore } from '../../src/blobs/file/create-file-blob-store.ts';
import { readAll, toStream } from './blob-contents.ts';
import { startChild } from './children/start-child.ts';
import { useTempFolder } from './temp-folder.ts';

const PLACES = 300;

test('of two processes that copy to one place without overwriting, one succeeds', async () => {
  const root = await useTempFolder();
  const store = await createFileBlobStore({ root });
  const racers = await Promise.all(
    ['red', 'blue'].map(async (path) => {
      const content = toStream(Buffer.from(path));
      await store.write({ env: 'dev', path }, content, { contentType: 'a/b' });
      const child = startChild('race-copies.ts', [root, path, `${PLACES}`]);
      const lines = child.lines[Symbol.asyncIterator]();
      expect((await lines.next()).value).toBe('ready');
      return { path, child, lines };
    }),
  );
  for (const { child } of racers) child.process.stdin?.write('go');
  const winners = new Map<number, string[]>();
  for (const { path, lines } of racers) {
    const won: number[] = JSON.parse((await lines.next()).value);
    for (const place of won) winners.set(place, [...(winners.get(place) ?? []), path]);
  }

  expect(winners.size).toBe(PLACES);
  for (const [place, paths] of winners) {
    const content = await readAll(store, { env: 'dev', path: `place/${place}` });
    expect(paths).toEqual([content?.toString()]);
  }
  expect(await readdir(join(root, 'tmp'))).toEqual([]);
});
