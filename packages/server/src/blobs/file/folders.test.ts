import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTempFolder } from '../../../test/blobs/temp-folder.ts';
import { placeIn, pruneFolders } from './folders.ts';

let top: string;
let folder: string;
let source: string;

beforeEach(async () => {
  top = await useTempFolder();
  folder = join(top, 'a', 'b');
  source = join(await useTempFolder(), 'source');
  await writeFile(source, 'content');
});

test('a folder that others remove in the meantime is made again', async () => {
  let attempts = 0;
  const place = async () => {
    attempts++;
    if (attempts <= 3) await rm(join(top, 'a'), { recursive: true });
    await rename(source, join(folder, 'file'));
  };
  await placeIn(top, folder, place, async () => false);
  expect(attempts).toBe(4);
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('content');
});

test('nothing is tried again for what is lost itself, and no folder stays', async () => {
  await rm(source);
  let attempts = 0;
  const place = () => {
    attempts++;
    return rename(source, join(folder, 'file'));
  };
  await expect(placeIn(top, folder, place, async () => true)).rejects.toThrow('ENOENT');
  expect(attempts).toBe(1);
  expect(await readdir(top)).toEqual([]);
});

test('folders are removed up to the first that is not empty, and never the top', async () => {
  await placeIn(
    top,
    join(top, 'a', 'x', 'y'),
    async () => {},
    async () => false,
  );
  await writeFile(join(top, 'a', 'file'), '');
  await pruneFolders(top, join(top, 'a', 'x', 'y'));
  expect(await readdir(join(top, 'a'))).toEqual(['file']);
  await rm(join(top, 'a', 'file'));
  await pruneFolders(top, join(top, 'a'));
  expect(await readdir(top)).toEqual([]);
});
