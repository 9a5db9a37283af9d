import { expect, test } from 'vitest';
import { decodeSegment, hasDotSegment, parseTarget } from './request-target.ts';

test.each([
  ['/a/../b?x=%2e', { authority: undefined, path: '/a/../b', query: 'x=%2e' }],
  ['/a', { authority: undefined, path: '/a', query: undefined }],
  ['/a?', { authority: undefined, path: '/a', query: '' }],
  ['/a?b?c', { authority: undefined, path: '/a', query: 'b?c' }],
  ['http://h:1/a?b', { authority: 'h:1', path: '/a', query: 'b' }],
  ['HTTPS://h', { authority: 'h', path: '/', query: undefined }],
  ['http://h?b', { authority: 'h', path: '/', query: 'b' }],
  ['//h/a', { authority: undefined, path: '//h/a', query: undefined }],
  ['*', { authority: undefined, path: '*', query: undefined }],
])('%s', (target, expected) => {
  expect(parseTarget(target)).toEqual(expected);
});

test.each(['.', '..', 'a/..', './a', 'a/%2e/b', '%2E%2e', '.%2e'])(
  '%s has a dot segment',
  (path) => {
    expect(hasDotSegment(path)).toBe(true);
  },
);

test.each(['...', '%252e', 'a.b', '.a', '', '%2e%2e%2e', 'a%2f..'])('%s has none', (path) => {
  expect(hasDotSegment(path)).toBe(false);
});

test('a segment is decoded once, and broken encoding is undefined', () => {
  expect(decodeSegment('%252e')).toBe('%2e');
  expect(decodeSegment('%zz')).toBeUndefined();
  expect(decodeSegment('%ff')).toBeUndefined();
});
