import { expect, test } from 'vitest';
import { transactions } from './documents.ts';
import { expandPath, findByContentType, findByStatus } from './operations.ts';

test('each value is encoded as a single segment', () => {
  const path = expandPath('/envs/{envId}/storages:{name}', { envId: 'a/b c', name: 'x' });
  expect(path).toBe('/envs/a%2Fb%20c/storages:x');
});

test('a parameter without a value is an error', () => {
  expect(() => expandPath('/{name}', {})).toThrow('/{name}: no value for name');
});

const ofOperation = (id: string) => transactions.filter(({ operationId }) => operationId === id);

test.each([
  [200, '200'],
  [404, '4XX'],
  [500, 'default'],
  [302, 'default'],
])('status %i of batchDelete is documented as %s', (status, key) => {
  expect(findByStatus(ofOperation('batchDelete'), status).map((entry) => entry.status)).toEqual([
    key,
  ]);
});

test('an exact type takes precedence over a range', () => {
  const entries = findByStatus(ofOperation('cloudrun-get'), 200);
  expect(findByContentType(entries, 'text/plain; charset=utf-8')?.contentType).toBe('text/plain');
  expect(findByContentType(entries, 'image/png')?.contentType).toBe('*/*');
});

test('only a missing type matches a response without content', () => {
  expect(findByContentType(findByStatus(ofOperation('uploadFile'), 204), undefined)).toBeDefined();
  expect(findByContentType(findByStatus(ofOperation('batchDelete'), 200), undefined)).toBe(
    undefined,
  );
});
