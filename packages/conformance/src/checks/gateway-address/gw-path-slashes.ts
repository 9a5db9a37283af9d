import { defineCheck } from '../check.ts';
import { expectPath } from './expect-path.ts';

export const gwPathSlashes = defineCheck('GW-PATH-SLASHES', ['fixture'], async (t) => {
  await expectPath(t, ['/a//b', '/a///b//c', '//a', '/a//', '//', '/a//b?c=//d']);
});
