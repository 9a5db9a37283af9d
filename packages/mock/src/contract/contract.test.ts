import { expect, test } from 'vitest';
import { itemPatternsOf } from '../surfaces/storage.ts';
import { listOperations } from './contract.ts';
import { documents } from './documents.ts';

const operations = listOperations(documents);

test('the nine operations are listed with what the extensions say', () => {
  const rows = operations.map(({ id, method, greedy }) => [id, method, greedy]);
  expect(rows).toEqual([
    ['cloudrun-get-root', 'get', undefined],
    ['cloudrun-post-root', 'post', undefined],
    ['cloudrun-get', 'get', 'anyPath'],
    ['cloudrun-post', 'post', 'anyPath'],
    ['getUploadMetaData', 'post', undefined],
    ['batchGetTempUrls', 'post', undefined],
    ['batchDelete', 'post', undefined],
    ['batchCopyFile', 'post', undefined],
    ['uploadFile', 'post', undefined],
  ]);
});

test('no reference is left in the documents', () => {
  expect(JSON.stringify(documents)).not.toContain('"$ref"');
});

test('item patterns are found by field', () => {
  const patterns = itemPatternsOf(operations, 'batchCopyFile');
  expect([...patterns.keys()]).toEqual(['srcPath', 'dstPath']);
  expect(patterns.get('srcPath')?.test('/报告/a.txt')).toBe(true);
  expect(patterns.get('srcPath')?.test('/a b')).toBe(false);
  expect(itemPatternsOf(operations, 'batchDelete').size).toBe(0);
});
