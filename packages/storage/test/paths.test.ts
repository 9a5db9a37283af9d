import { expect, test } from 'vitest';
import { assertFilePath, parseCopyPath, parseFilePath } from '../src/paths.ts';

const INVALID: readonly [path: string, reason: RegExp][] = [
  ['', /empty/],
  ['/', /empty/],
  ['//', /end in/],
  ['//a', /segment ""/],
  ['a//b', /segment ""/],
  ['a/', /end in/],
  ['.', /segment "\."/],
  ['..', /segment "\.\."/],
  ['/../a', /segment "\.\."/],
  ['a/./b', /segment "\."/],
  ['a/../../b', /segment "\.\."/],
  ['a/..', /segment "\.\."/],
  ['a\0b', /control/],
  ['a\0', /control/],
  ['a\nb', /control/],
  ['a\r\nX: y', /control/],
  ['a\u007f', /control/],
  ['a\u0085', /control/],
  ['\ud800', /surrogate/],
  ['a\udc00b', /surrogate/],
  ['x'.repeat(1025), /1024 bytes/],
  ['/'.repeat(100_000), /1024 bytes/],
  ['é'.repeat(513), /1024 bytes/],
];

test.each(INVALID)('%j is an invalid path', (path, reason) => {
  const rejection = { reason: expect.stringMatching(reason) };
  expect(parseFilePath(path)).toEqual(rejection);
  expect(parseCopyPath(path)).toEqual(rejection);
});

test.each([
  ['/a/b.txt', 'a/b.txt'],
  ['a/b.txt', 'a/b.txt'],
  ['/照片/猫.jpg', '照片/猫.jpg'],
  ['/...', '...'],
  ['__proto__', '__proto__'],
  [`/${'x'.repeat(1024)}`, 'x'.repeat(1024)],
])('%j is a valid path', (input, path) => {
  expect(parseFilePath(input)).toEqual({ path });
  expect(parseCopyPath(input)).toEqual({ path });
});

test.each([
  'a b',
  'a%2Fb',
  '%2e%2e/a',
  'a\\b',
  'C:\\a',
  'é',
  'e\u0301',
  '\uf900',
  '😀/👨‍👩‍👧.png',
  '\u202egnp',
  '\uff0e\uff0e/a',
  'a\u2028',
])('an upload path may be %j, and is not changed; a copy path may not', (path) => {
  expect(parseFilePath(`/${path}`)).toEqual({ path });
  expect(parseCopyPath(path)).toEqual({ reason: expect.stringMatching(/only/) });
});

test('every character of the API description is valid in a copy path', () => {
  const path = 'AZaz09/!-_.,*\u4e00\u9fff';
  expect(parseCopyPath(`/${path}`)).toEqual({ path });
});

test('a key has no leading slash', () => {
  expect(() => assertFilePath('/a')).toThrow(/^The file path must not contain the segment ""/);
});
