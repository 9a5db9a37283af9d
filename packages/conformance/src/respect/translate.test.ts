import { expect, test } from 'vitest';
import { createVault } from './translate.ts';

const data = {
  url: 'https://upload.example/?a=1',
  token: 'ab.12',
  fileList: [{ fileID: 'f.1', code: 'SUCCESS', tempFileURL: '' }],
};

test('values that are only passed through are replaced by plain words', () => {
  const { conceal } = createVault();
  expect(conceal({ body: { data } })).toEqual({
    body: {
      data: {
        url: 'http://value-0.invalid',
        token: 'value-1',
        fileList: [{ fileID: 'value-2', code: 'SUCCESS', tempFileURL: '' }],
      },
    },
  });
});

test('equal values become equal words, and can be restored', () => {
  const vault = createVault();
  expect(vault.conceal([{ fileID: 'f.1' }, { fileID: 'f.1' }])).toEqual([
    { fileID: 'value-0' },
    { fileID: 'value-0' },
  ]);
  expect(vault.revealAll({ fileList: ['value-0', 'other'] })).toEqual({
    fileList: ['f.1', 'other'],
  });
});
