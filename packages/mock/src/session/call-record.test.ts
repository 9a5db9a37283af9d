import { expect, test } from 'vitest';
import { KeptBytes } from './call-record.ts';

const keep = (max: number, ...chunks: (Uint8Array | string)[]) => {
  const kept = new KeptBytes();
  for (const chunk of chunks) kept.add(chunk, undefined, max);
  return kept;
};

test('keeps short bodies completely, text as UTF-8', () => {
  const kept = keep(10, 'é', Buffer.from([0, 255]), new Uint8Array([1, 2, 3]).subarray(1));
  expect(kept.bytes).toEqual(Buffer.from([0xc3, 0xa9, 0, 255, 2, 3]));
  expect([kept.size, kept.isWhole]).toEqual([6, true]);
});

test('keeps the first bytes of long bodies, and counts all of them', () => {
  const kept = keep(3, 'ab', 'cd', Buffer.from('ef'));
  expect(String(kept.bytes)).toBe('abc');
  expect([kept.size, kept.isWhole]).toEqual([6, false]);
});

test('counts Latin-1 text as one byte per character', () => {
  const kept = new KeptBytes();
  kept.add('é', 'latin1', 10);
  expect(kept.bytes).toEqual(Buffer.from([0xe9]));
});

test('omits an empty body', () => {
  expect([keep(3).bytes, keep(3, '').bytes, keep(3).isWhole]).toEqual([undefined, undefined, true]);
});
