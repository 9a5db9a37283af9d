import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '../../../test/blobs/temp-folder.ts';
import { makeFolder } from './make-folder.ts';

test('makes a folder and those above it, also for many at once, and leaves one that is there', async () => {
  const folder = join(await useTempFolder(), 'a/b/c');
  await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, 'd'))]);
  expect((await stat(join(folder, 'd'))).isDirectory()).toBe(true);
  const { ino } = await stat(folder);
  await makeFolder(folder);
  expect((await stat(folder)).ino).toBe(ino);
});

test('makes no folder where a file stands, or below it', async () => {
  const file = join(await useTempFolder(), 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST', path: file });
  // The file itself is in the way of what is below.
  await expect(makeFolder(join(file, 'a/b'))).rejects.toMatchObject({ code: 'EEXIST', path: file });
});

test.runIf(process.platform === 'linux')('gives up below /proc', async () => {
  await expect(makeFolder('/proc/berth/a')).rejects.toMatchObject({
    code: 'ENOENT',
    path: '/proc/berth',
  });
});
