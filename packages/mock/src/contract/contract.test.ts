import { expect, test } from 'vitest';
import { itemPatternsOf } from '../surfaces/storage.ts';
import { listOperations } from './contract.ts';
import { documents } from './documents.ts';

const operations = listOperations(documents);

test('lists the nine operations with their surfaces', () => {
  const rows = operations.map(({ id, method, surface }) => [id, method, surface]);
  expect(rows).toEqual([
    ['cloudrun-get-root', 'get', 'gateway'],
    ['cloudrun-post-root', 'post', 'gateway'],
    ['cloudrun-get', 'get', 'gateway'],
    ['cloudrun-post', 'post', 'gateway'],
    ['getUploadMetaData', 'post', 'storage'],
    ['batchGetTempUrls', 'post', 'storage'],
    ['batchDelete', 'post', 'storage'],
    ['batchCopyFile', 'post', 'storage'],
    ['uploadFile', 'post', 'upload'],
  ]);
});

test('no references are left in the documents', () => {
  expect(JSON.stringify(documents)).not.toContain('"$ref"');
});

test('finds item patterns by field', () => {
  const patterns = itemPatternsOf(operations, 'batchCopyFile');
  expect([...patterns.keys()]).toEqual(['srcPath', 'dstPath']);
  expect(patterns.get('srcPath')?.test('/报告/a.txt')).toBe(true);
  expect(patterns.get('srcPath')?.test('/a b')).toBe(false);
  expect(itemPatternsOf(operations, 'batchDelete').size).toBe(0);
});
