import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { orMissing } from './disk-error.ts';
import type { Layout } from './layout.ts';

/** Temporary files that nobody has touched since. */
export async function findLitter({ tmp }: Layout, olderThan: Date): Promise<string[]> {
  const litter: string[] = [];
  for (const entry of await readdir(tmp, { withFileTypes: true })) {
    const path = join(tmp, entry.name);
    if (!entry.isDirectory() && (await isOlder(path, olderThan))) litter.push(path);
  }
  return litter;
}

/** Removes them; how many there were. */
export async function sweepFiles(layout: Layout, olderThan: Date): Promise<number> {
  let count = 0;
  for (const path of await findLitter(layout, olderThan)) {
    if (await orMissing(() => unlink(path).then(() => true))) count++;
  }
  return count;
}

async function isOlder(path: string, date: Date): Promise<boolean> {
  const stats = await orMissing(() => lstat(path));
  // The time of the last change of the inode: a write sets it, and so does a new name for an old file.
  return stats !== undefined && stats.ctimeMs < date.getTime();
}
