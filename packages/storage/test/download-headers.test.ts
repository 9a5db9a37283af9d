import { describe, expect, test } from 'vitest';
import {
  type DownloadHeaders,
  evaluateConditions,
  toDisposition,
  toRange,
} from '../src/download.ts';

const etag = '"abc"';
const before = 'Mon, 02 Nov 1970 08:59:59 GMT';
const after = 'Mon, 02 Nov 2099 08:59:59 GMT';

describe('conditions', () => {
  test.each([
    [{}, undefined],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': '"x", W/"abc"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, undefined],
    [{ 'if-none-match': 'abc' }, undefined],
    [{ 'if-match': '"abc"' }, undefined],
    [{ 'if-match': '*' }, undefined],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
    [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 304],
    [{ 'if-modified-since': after }, undefined],
    [{ 'if-none-match': '"x"', 'if-modified-since': after }, undefined],
    [{ 'if-unmodified-since': before }, undefined],
  ] as const)('%j', (headers, status) => {
    expect(evaluateConditions(headers as DownloadHeaders, etag)).toBe(status);
  });
});

test.each([
  ['a/summary.txt', 'attachment; filename=summary.txt'],
  ['My file; really.txt', 'attachment; filename="My file; really.txt"'],
  ['年.txt', `attachment; filename=_.txt; filename*=UTF-8''%E5%B9%B4.txt`],
  ['😀.txt', `attachment; filename=_.txt; filename*=UTF-8''%F0%9F%98%80.txt`],
  [
    `a"b\\c%41'(*).txt`,
    `attachment; filename="a_b_c_41'(*).txt"; filename*=UTF-8''a%22b%5Cc%2541%27%28%2A%29.txt`,
  ],
  // It cannot break out of the header.
  [
    'a\r\nSet-Cookie: b=c',
    `attachment; filename="a__Set-Cookie: b=c"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b%3Dc`,
  ],
])('%s', (path, header) => {
  expect(toDisposition(path)).toBe(header);
});

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=2-4', { start: 2, end: 4 }],
  ['bytes=2-', { start: 2, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-30', { start: 0, end: 9 }],
  ['bytes=8-99', { start: 8, end: 9 }],
  ['Bytes=2-4', { start: 2, end: 4 }],
  ['bytes=0-3,4-6', { start: 0, end: 6 }],
  ['bytes=0-3, -30', { start: 0, end: 9 }],
  ['bytes=0-1,5-20', undefined],
  ['bytes=5-2', undefined],
  ['bytes=0-3,5-2', undefined],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=99-100', 'none'],
  ['bytes=', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1', undefined],
  ['items=0-1', undefined],
  ['items=99-', undefined],
  ['0-1', undefined],
])('%s of ten bytes', (header, range) => {
  const found = toRange(header, 10);
  expect(typeof found === 'object' ? { start: found.start, end: found.end } : found).toEqual(range);
});

test('an empty file is always sent completely', () => {
  expect(toRange('bytes=0-', 0)).toBeUndefined();
  expect(toRange('bytes=-5', 0)).toBeUndefined();
});
