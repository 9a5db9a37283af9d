import { expect, test } from 'vitest';
import { countBuffer } from './collect-buffers.ts';

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
const CONTENT_BYTES = 512 * MIB;

test('buffers of large content are collected before many pile up', () => {
  let peak = 0;
  for (let at = 0; at < CONTENT_BYTES; at += PIECE_BYTES) {
    countBuffer(Buffer.allocUnsafeSlow(PIECE_BYTES).length);
    if (at % MIB === 0) peak = Math.max(peak, process.memoryUsage().arrayBuffers);
  }
  expect(peak).toBeLessThan(32 * MIB);
});
