import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTempFolder } from '../../../test/blobs/temp-folder.ts';
import { makeFolder, placeIn, pruneFolders } from './folders.ts';

test('creates a folder and its parents, concurrently too, and keeps one that exists', async () => {
  const folder = join(await useTempFolder(), 'a/b/c');
  await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, 'd'))]);
  expect((await stat(join(folder, 'd'))).isDirectory()).toBe(true);
  const { ino } = await stat(folder);
  await makeFolder(folder);
  expect((await stat(folder)).ino).toBe(ino);
});

test('does not create a folder at or below a file', async () => {
  const file = join(await useTempFolder(), 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST', path: file });
  // The file is in the way.
  await expect(makeFolder(join(file, 'a/b'))).rejects.toMatchObject({ code: 'EEXIST', path: file });
});

test.runIf(process.platform === 'linux')('gives up below /proc', async () => {
  await expect(makeFolder('/proc/berth/a')).rejects.toMatchObject({
    code: 'ENOENT',
    path: '/proc/berth',
  });
});

let top: string;

let folder: string;

let source: string;

beforeEach(async () => {
  top = await useTempFolder();
  folder = join(top, 'a', 'b');
  source = join(await useTempFolder(), 'source');
  await writeFile(source, 'content');
});

test('recreates a folder that others remove in the meantime', async () => {
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

test('does not retry if the source is lost, and leaves no folder behind', async () => {
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

test('removes folders up to the first that is not empty, and never the root', async () => {
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
