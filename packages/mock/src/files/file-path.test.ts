import { expect, test } from 'vitest';
import { pathFault, toKey } from './file-path.ts';

test('one leading slash is dropped', () => {
  expect(toKey('/a/b')).toBe('a/b');
  expect(toKey('a/b')).toBe('a/b');
});

test.each(['a', '/a', '中 文.txt', '.a', 'a..b', '😀', 'x'.repeat(1024)])('%s is good', (path) => {
  expect(pathFault(path)).toBeUndefined();
});

test.each([
  '',
  '/',
  '//',
  'a//b',
  'a/',
  '.',
  '../a',
  'a/./b',
  'a\nb',
  '\u0085',
  '\udc00',
  'x'.repeat(1025),
])('%j is refused', (path) => {
  expect(pathFault(path)).toMatch(/^must /);
});

test('a pattern wants the leading slash, the path need not have it', () => {
  expect(pathFault('a', /^\/a$/)).toBeUndefined();
  expect(pathFault('/a', /^\/a$/)).toBeUndefined();
  expect(pathFault('b', /^\/a$/)).toMatch(/^may have /);
});
