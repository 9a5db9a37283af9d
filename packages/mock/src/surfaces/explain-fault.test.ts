import { expect, test } from 'vitest';
import { nearPaths } from './explain-fault.ts';

const DELETE = '/api/v2/envs/{envId}/storages:batchDelete';

const COPY = '/api/v2/envs/{envId}/storages:batchCopyFile';

const TEMPLATES = ['/v1/cloudrun/{name}', '/v1/cloudrun/{name}/{anyPath}', DELETE, COPY, '/'];

test.each([
  ['/v1/cloudruns/hello', ['/v1/cloudrun/{name}']],
  ['/v2/cloudrun/hello/a', ['/v1/cloudrun/{name}/{anyPath}', '/v1/cloudrun/{name}']],
  ['/api/v2/envs/dev/storages:batchDeleteXYZ', [DELETE]],
  ['/api/v2/envs/dev/storages:copyFile', [COPY]],
  ['//v1//cloudrun/hello', ['/v1/cloudrun/{name}']],
  ['/something/else', []],
  [`/v1/cloudrun/${'x'.repeat(1000)}`, []],
])('%s is near %j', (path, expected) => {
  expect(nearPaths(path, TEMPLATES)).toEqual(expected);
});
