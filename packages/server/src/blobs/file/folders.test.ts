import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTempFolder } from '../../../test/blobs/temp-folder.ts';
import { makeFolder, placeIn } from './folders.ts';

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
