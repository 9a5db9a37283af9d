import { lstat, readdir, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { orMissing } from './disk-error.ts';
import type { Layout } from './folders.ts';

/** When what has not been touched since is litter: several sweeps of every server that is alive ago. */
export function litterTime(): Date {
  return new Date(Date.now() - 3_600_000);
}

/** Temporary files that nobody has touched since. */
export async function findLitter({ tmp }: Layout, olderThan: Date): Promise<string[]> {
  const litter: string[] = [];
  for (const entry of await readdir(tmp, { withFileTypes: true })) {
    const path = join(tmp, entry.name);
    if (!entry.isDirectory() && (await isOlder(path, olderThan))) litter.push(path);
  }
  return litter;
}

/**
 * Removes them; how many there were. The uploads of this process are marked as alive first, for others who
 * sweep the same folder: a slow one may write nothing for long.
 */
export async function sweepFiles(layout: Layout, olderThan = litterTime()): Promise<number> {
  const now = new Date();
  for (const path of layout.uploads) await orMissing(() => utimes(path, now, now));
  let count = 0;
  for (const path of await findLitter(layout, olderThan)) {
    if (layout.uploads.has(path)) continue;
    if (await orMissing(() => unlink(path).then(() => true))) count++;
  }
  return count;
}

async function isOlder(path: string, date: Date): Promise<boolean> {
  const stats = await orMissing(() => lstat(path));
  // The time of the last change of the inode: a write sets it, and so does a new name for an old file.
  return stats !== undefined && stats.ctimeMs < date.getTime();
}
