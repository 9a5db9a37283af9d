import { lstat, readdir, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { orMissing } from './disk-error.ts';
import type { Layout } from './folders.ts';

/**
 * Returns the time before which temporary files count as litter: every live server has swept the folder
 * several times since then.
 */
export function litterTime(): Date {
  return new Date(Date.now() - 3_600_000);
}

/** Finds temporary files that have not changed since the given time. */
export async function findLitter({ tmp }: Layout, olderThan: Date): Promise<string[]> {
  const litter: string[] = [];
  for (const entry of await readdir(tmp, { withFileTypes: true })) {
    const path = join(tmp, entry.name);
    if (!entry.isDirectory() && (await isOlder(path, olderThan))) litter.push(path);
  }
  return litter;
}

/**
 * Removes litter, and returns the number of removed files. Before that, touches the files that this process
 * is uploading, so that other processes do not remove them: a slow upload may write nothing for a long time.
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
  // ctime changes on every write, and also when an old file gets a new name.
  return stats !== undefined && stats.ctimeMs < date.getTime();
}
