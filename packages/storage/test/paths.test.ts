import { describe, expect, test } from 'vitest';
import { assertFilePath, FilePathError, toCopyPath, toFilePath } from '../src/paths.ts';

function reasonOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof FilePathError) return error.reason;
    throw error;
  }
}

const REFUSED: readonly [path: string, reason: RegExp][] = [
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

describe.each([
  ['upload', toFilePath],
  ['copy', toCopyPath],
])('%s paths', (_, toPath) => {
  test.each(REFUSED)('refuse %j', (path, reason) => {
    expect(reasonOf(() => toPath(path))).toMatch(reason);
  });

  test.each([
    ['/a/b.txt', 'a/b.txt'],
    ['a/b.txt', 'a/b.txt'],
    ['/照片/猫.jpg', '照片/猫.jpg'],
    ['/...', '...'],
    [`/${'x'.repeat(1024)}`, 'x'.repeat(1024)],
  ])('take %j', (given, path) => expect(toPath(given)).toBe(path));
});

test.each([
  'a b',
  'e\u0301',
  '\uf900',
  '😀/👨‍👩‍👧.png',
  '\u202egnp',
  'C:\\a',
  '__proto__',
  'a%2Fb',
])('an upload path may be %j, and is not changed', (path) => {
  expect(toFilePath(path)).toBe(path);
  expect(toFilePath(`/${path}`)).toBe(path);
});

test.each([
  'a b',
  'a%2Fb',
  '%2e%2e/a',
  'a\\b',
  'C:',
  'é',
  '😀',
  '\uff0e\uff0e/a',
  '\uf900',
  'a\u2028',
])('a copy path may not be %j', (path) => expect(reasonOf(() => toCopyPath(path))).toMatch(/only/));

test('every character of the API description is valid in a copy path', () => {
  const path = 'AZaz09/!-_.,*\u4e00\u9fff';
  expect(toCopyPath(`/${path}`)).toBe(path);
});

test('a key has no leading slash', () => {
  expect(reasonOf(() => assertFilePath('/a'))).toMatch(/segment ""/);
});
