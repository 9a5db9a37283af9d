import { defineCheck } from '../check.ts';
import { expectPath } from './expect-path.ts';

export const gwPathSegments = defineCheck('GW-PATH-SEGMENTS', ['fixture'], async (t) => {
  await expectPath(t, [
    '/a/b',
    '/a/b/c/',
    `/v1/cloudrun/${t.settings.service}/a`,
    '/api/v2/envs/a/storages:b',
    '/.a/b.c/d..e/...',
    "/a;b=1/c:d@e/f,g/~h/i!$&'()*+j",
    `/${Array.from({ length: 30 }, (_, index) => index).join('/')}`,
  ]);
});
