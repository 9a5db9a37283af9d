import { expect, test } from 'vitest';
import { documents } from '../contract/documents.ts';
import { listOperations, type Operation } from '../contract/operations.ts';
import { createRouter } from './create-router.ts';

const router = createRouter(listOperations(documents));
const match = (method: string, path: string) => {
  const found = router.match(method, path);
  return found && 'operation' in found ? [found.operation.id, found.params] : found;
};

test.each([
  ['/v1/cloudrun/hello', 'cloudrun-get-root', { name: 'hello' }],
  ['/v1/cloudrun/hello/', 'cloudrun-get-root', { name: 'hello' }],
  ['/v1/cloudrun/hello/a', 'cloudrun-get', { name: 'hello', anyPath: 'a' }],
  ['/v1/cloudrun/hello/a/b/', 'cloudrun-get', { name: 'hello', anyPath: 'a/b/' }],
  ['/v1/cloudrun/hello//', 'cloudrun-get', { name: 'hello', anyPath: '/' }],
  ['/v1/cloudrun/h%65/%2F', 'cloudrun-get', { name: 'h%65', anyPath: '%2F' }],
  ['/v1/cloudrun/hello/a\nb', 'cloudrun-get', { name: 'hello', anyPath: 'a\nb' }],
])('GET %j is %s', (path, id, params) => {
  expect(match('GET', path)).toEqual([id, params]);
});

test('HEAD goes where GET goes', () => {
  expect(match('HEAD', '/v1/cloudrun/hello')).toEqual(['cloudrun-get-root', { name: 'hello' }]);
});

test.each([
  '/v1/cloudrun/',
  '/v1/cloudrun//a/',
  '/api/v2/envs/dev/storages:batchDeleteXYZ',
  '/api/v2/envs/dev/storages:batchDelete/',
  '/api/v2/envs/a/b/storages:batchDelete',
])('%s is no path', (path) => {
  expect(match('POST', path)).toBeUndefined();
});

test('a known path with another method says what it takes', () => {
  expect(match('PUT', '/v1/cloudrun/hello')).toEqual({ allow: ['GET', 'HEAD', 'POST', 'OPTIONS'] });
  expect(match('GET', '/')).toEqual({ allow: ['POST', 'OPTIONS'] });
});

test('the extension makes a parameter greedy, not its name', () => {
  const operation: Operation = {
    id: 'x',
    document: 'gateway',
    method: 'get',
    path: '/x/{rest}',
    greedy: 'rest',
    body: undefined,
  };
  expect(createRouter([operation]).match('GET', '/x/a/b')).toMatchObject({
    params: { rest: 'a/b' },
  });
  const plain = { ...operation, greedy: undefined };
  expect(createRouter([plain]).match('GET', '/x/a/b')).toBeUndefined();
});
