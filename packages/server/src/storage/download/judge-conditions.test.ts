import { describe, expect, test } from 'vitest';
import { isRangeValid, judgeConditions } from './judge-conditions.ts';

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
    expect(judgeConditions(headers, etag)).toBe(status);
  });
});

describe('If-Range', () => {
  test.each([
    [undefined, true],
    ['"abc"', true],
    ['"x"', false],
    ['W/"abc"', false],
    [before, false],
    [after, false],
    ['yesterday', false],
  ])('%s', (header, valid) => {
    expect(isRangeValid({ 'if-range': header }, etag)).toBe(valid);
  });
});
