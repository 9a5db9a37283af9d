import { expect, test } from 'vitest';
import { routes } from '../generated/storage.v2/routes.gen.ts';
import { UPLOAD_OPERATION } from '../http/router-options.ts';
import { envIdOf } from './storage-security.ts';

const operations = routes.routes.filter(({ operationId }) => operationId !== UPLOAD_OPERATION);

test.each(operations)(
  '$operationId has its environment in the same segment as the others',
  ({ path }) => {
    const read = envIdOf({ ...routes, routes: operations });
    expect(read(path.replace('{envId}', 'dev'))).toBe('dev');
    expect(read(path.replace('{envId}', '%E4%B8%AD'))).toBe('中');
    expect(read(path.replace('{envId}', 'dev').replace('/envs', '/%65%6Evs'))).toBe('dev');
  },
);
