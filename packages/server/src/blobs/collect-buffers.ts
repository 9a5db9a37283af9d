import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less than what V8 lets a heap as small as ours have outside of it before it marks all of the heap. */
const BYTES_BETWEEN = 4 * 1024 * 1024;

const collectYoung = findCollector();
let passed = 0;

/**
 * Counts the bytes of a buffer that was made for a piece of a body and is garbage soon, and has such buffers
 * collected in time. V8 counts them as part of the old generation, which they never reach, and does one full
 * collection after another: it doubles the processor time of a large download, adds a third to that of an upload,
 * and takes 60 MB. A collection of the young generation frees them in less than a millisecond.
 */
export function countBuffer(bytes: number): void {
  passed += bytes;
  if (passed < BYTES_BETWEEN) return;
  passed = 0;
  collectYoung({ type: 'minor' });
}

function findCollector(): (options: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
