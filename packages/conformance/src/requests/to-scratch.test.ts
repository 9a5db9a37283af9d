import { expect, test } from 'vitest';
import { toScratch } from './to-scratch.ts';

const scratch = { folder: 'berth-conformance/1a2b/dredd', fileId: undefined };

test('paths and file IDs move into the folder of the run', () => {
  const fields = {
    path: 'reports/summary.txt',
    fileList: [{ srcPath: '/a.txt', overwrite: false }, 'cloud://dev.files/b.txt'],
  };
  expect(toScratch(fields, scratch)).toEqual({
    path: 'berth-conformance/1a2b/dredd/reports/summary.txt',
    fileList: [
      { srcPath: '/berth-conformance/1a2b/dredd/a.txt', overwrite: false },
      'cloud://dev.files/berth-conformance/1a2b/dredd/b.txt',
    ],
  });
});

test('a file ID that the target gave is taken as it is', () => {
  const known = { ...scratch, fileId: 'f_17' };
  expect(toScratch(['cloud://dev.files/b.txt', 'c.txt'], known)).toEqual([
    'f_17',
    'berth-conformance/1a2b/dredd/c.txt',
  ]);
});
