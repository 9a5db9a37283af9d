import { expect, it } from 'vitest';
import { toRequestTarget } from './send-form.ts';

it.each([
  ['http://h/', '/'],
  ['http://h', '/'],
  ['http://h?a=1', '/?a=1'],
  ['http://h:1/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}', '/a/../b/%2e%2e/c?x=a%2Fb&y=\'"|{}'],
  ['http://h/a#b', '/a'],
  ['http://h/a b?c=中', '/a%20b?c=%E4%B8%AD'],
])('keeps the path and query of %s', (url, target) => {
  expect(toRequestTarget(url)).toBe(target);
});
