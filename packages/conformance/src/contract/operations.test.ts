import { expect, test } from 'vitest';
import { dereference, joinPointer, type OpenapiDocument } from './openapi.ts';
import { expandPath, findByContentType, findByStatus, transactions } from './operations.ts';

test('each value is encoded as a single segment', () => {
  const path = expandPath('/envs/{envId}/storages:{name}', { envId: 'a/b c', name: 'x' });
  expect(path).toBe('/envs/a%2Fb%20c/storages:x');
});

test('an exact type takes precedence over a range', () => {
  const ofGet = transactions.filter(({ operationId }) => operationId === 'cloudrun-get');
  const entries = findByStatus(ofGet, 200);
  expect(findByContentType(entries, 'text/plain; charset=utf-8')?.contentType).toBe('text/plain');
  expect(findByContentType(entries, 'image/png')?.contentType).toBe('*/*');
});

test('chains of references with escaped segments are followed', () => {
  const $ref = joinPointer('#/components/b', 'x/y');
  const components = { a: { $ref }, b: { 'x/y': { value: 1 } } };
  const document = { components } as unknown as OpenapiDocument;
  expect(dereference(document, { $ref: '#/components/a' }, '#/here')).toEqual({
    value: { value: 1 },
    pointer: '#/components/b/x~1y',
  });
});
