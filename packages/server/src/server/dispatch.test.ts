import { expect, test } from 'vitest';
import { surfaceOf } from './dispatch.ts';

test.each([
  ['/v1/cloudrun/hello', 'gateway'],
  ['/api/v2/envs/dev/storages:batchDelete', 'storage'],
  ['/api/v2', 'storage'],
  ['/upload', 'upload'],
  ['/upload?x=1', 'upload'],
  ['/upload/', 'upload'],
  ['/files/dev/files/a?sign=1', 'files'],
  ['/uploads', 'gateway'],
  ['/filesystem', 'gateway'],
  ['/', 'gateway'],
  ['*', 'gateway'],
])('%s belongs to %s', (url, surface) => {
  expect(surfaceOf(url)).toBe(surface);
});
