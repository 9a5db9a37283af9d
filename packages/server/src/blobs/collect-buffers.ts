import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Less external memory than what makes V8 mark all of a heap as small as ours. */
const BYTES_BETWEEN = 4 * 1024 * 1024;

const collectYoung = findCollector();
let passed = 0;

/**
 * Counts the bytes of a short-lived buffer that holds part of a body, and triggers the collection of such
 * buffers early enough. Otherwise, V8 would count these buffers as part of the old generation, which they
 * never reach, and run one full collection after another. That would double the CPU time of a large download,
 * add a third to the CPU time of an upload, and use 60 MB. Collecting the young generation frees them in less
 * than a millisecond.
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
