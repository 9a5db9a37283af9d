import { expect, test } from 'vitest';
import { collectBytes } from './file-store.ts';

test.each([1, 7, 65_535, 65_536, 65_537, 300_000])('chunks of %d bytes are joined', (length) => {
  const whole = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const collected = collectBytes();
  const chunk = Buffer.alloc(length);
  for (let from = 0; from < whole.length; from += length) {
    // One buffer is used again and again, so a collector that kept it would show.
    collected.append(chunk.subarray(0, whole.copy(chunk, 0, from)));
  }
  expect(collected.join().equals(whole)).toBe(true);
});

test('nothing is an empty buffer', () => {
  const collected = collectBytes();
  collected.append(Buffer.alloc(0));
  expect(collected.join().length).toBe(0);
});
