import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/**
 * Makes an empty folder, which is gone with the process at the latest: a signal leaves no time for a
 * suite's own `finally`.
 */
export function makeTemporaryFolder(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `berth-bench-${purpose}-`));
  made.push(folder);
  return folder;
}
