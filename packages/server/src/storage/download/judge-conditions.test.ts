import { describe, expect, test } from 'vitest';
import { isRangeValid, judgeConditions } from './judge-conditions.ts';

const NOW = Date.parse('Mon, 02 Nov 2026 10:00:00 GMT');
const version = { etag: '"abc"', lastModified: new Date(NOW - 3_600_000 + 250) };
const same = 'Mon, 02 Nov 2026 09:00:00 GMT';
const before = 'Mon, 02 Nov 2026 08:59:59 GMT';

describe('conditions', () => {
  test.each([
    [{}, undefined],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': '"x", W/"abc"' }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, undefined],
    [{ 'if-none-match': 'abc' }, undefined],
    [{ 'if-none-match': '"x"', 'if-modified-since': same }, undefined],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': before }, undefined],
    [{ 'if-modified-since': 'yesterday' }, undefined],
    [{ 'if-match': '"abc"' }, undefined],
    [{ 'if-match': '*' }, undefined],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 412],
    [{ 'if-match': '"abc"', 'if-unmodified-since': before }, undefined],
    [{ 'if-unmodified-since': before }, 412],
    [{ 'if-unmodified-since': same }, undefined],
  ] as const)('%j', (headers, status) => {
    expect(judgeConditions(headers, version)).toBe(status);
  });
});

describe('If-Range', () => {
  test.each([
    [undefined, true],
    ['"abc"', true],
    ['"x"', false],
    ['W/"abc"', false],
    [same, true],
    [before, false],
    ['yesterday', false],
  ])('%s', (header, valid) => {
    expect(isRangeValid({ 'if-range': header }, version, NOW)).toBe(valid);
  });

  test('a time of the running second names no version', () => {
    expect(isRangeValid({ 'if-range': same }, version, NOW - 3_600_000 + 900)).toBe(false);
  });
});
