import { expect, test } from 'vitest';
import { toRange } from './to-range.ts';

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

test('a file without bytes is always sent whole', () => {
  expect(toRange('bytes=0-', 0)).toBeUndefined();
  expect(toRange('bytes=-5', 0)).toBeUndefined();
});
