import { createHash } from 'node:crypto';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withLocks } from '../key-locks.ts';
import { diskCodeOf, orMissing } from './disk-error.ts';
import type { Layout } from './folders.ts';

/**
 * A lock covers a few calls that never wait for a disk; an older lock belongs to a process that was killed.
 */
const ABANDONED_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 5;

/**
 * Runs an operation while no other operation, in any process, puts a file at one of these paths.
 *
 * rename(2) moves a file atomically, but it cannot reject an existing destination, and it does nothing if
 * both names are links to the same file. A move must therefore check first. Node does not support file locks,
 * so each lock is a temporary file.
 */
export async function withFileLocks<T>(
  layout: Layout,
  places: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const locks = places.map((place) => toLock(layout, place)).sort();
  return withLocks(locks, async () => {
    const held: string[] = [];
    try {
      for (const lock of new Set(locks)) {
        await take(lock);
        held.push(lock);
      }
      return await work();
    } finally {
      // A lock that cannot be removed expires.
      await Promise.all(held.map((lock) => rm(lock, { force: true }).catch(() => {})));
    }
  });
}

function toLock({ files, tmp }: Layout, place: string): string {
  const hash = createHash('sha256').update(relative(files, place)).digest('hex');
  return join(tmp, `${hash}.lock`);
}

async function take(lock: string): Promise<void> {
  for (;;) {
    try {
      return await writeFile(lock, '', { flag: 'wx' });
    } catch (error) {
      if (diskCodeOf(error) !== 'EEXIST') throw error;
    }
    const stats = await orMissing(() => lstat(lock));
    const isAbandoned = stats && stats.mtimeMs < Date.now() - ABANDONED_MILLISECONDS;
    if (isAbandoned) await rm(lock, { force: true });
    else if (stats) await wait(POLL_MILLISECONDS);
  }
}
