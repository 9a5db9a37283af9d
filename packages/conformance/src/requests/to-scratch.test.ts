import { expect, test } from 'vitest';
import { toScratch } from './to-scratch.ts';

const mark = 'abcd1234';

test('every path and every file ID is moved into the folder of the run', () => {
  const request = {
    fileList: [
      { srcPath: '/a/b.txt', dstPath: 'b.txt', overwrite: false },
      'cloud://dev.f/a/b.txt',
    ],
    maxAge: 600,
  };
  expect(toScratch(request, { mark })).toEqual({
    fileList: [
      {
        srcPath: '/berth-conformance-abcd1234/a/b.txt',
        dstPath: 'berth-conformance-abcd1234/b.txt',
        overwrite: false,
      },
      'cloud://dev.f/berth-conformance-abcd1234/a/b.txt',
    ],
    maxAge: 600,
  });
});

test('the file ID that the target gave is used', () => {
  const context = { mark, fileId: 'its-own-id' };
  expect(toScratch(['cloud://dev.f/a.txt'], context)).toEqual(['its-own-id']);
  expect(toScratch({ path: 'a.txt' }, context)).toEqual({
    path: 'berth-conformance-abcd1234/a.txt',
  });
});
