import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { findViolation } from './check-history.ts';
import { DISK_DEFECTS, S3_DEFECTS } from './defects.ts';
import { parseHistory } from './history.ts';

/** `npm run soak` runs servers with these defects. Here, histories like those that it found are checked. */
describe.each([
  { store: 'a folder', defects: DISK_DEFECTS, isMoveAtomic: true },
  { store: 'a bucket', defects: S3_DEFECTS, isMoveAtomic: false },
])('on $store', ({ defects, isMoveAtomic }) => {
  test.each(defects)('recognizes: $name', async ({ history, patches }) => {
    expect(findViolation(parseHistory(history), { isMoveAtomic })).toBeDefined();
    for (const { file, find } of patches) {
      const source = await readFile(new URL(`../../src/${file}`, import.meta.url), 'utf8');
      // A second occurrence could be the one that matters; only the first is replaced.
      expect(source.split(find), find).toHaveLength(2);
    }
  });
});
