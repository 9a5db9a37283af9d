import { createHash } from 'node:crypto';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { withLocks } from '../key-locks.ts';
import { diskCodeOf, orMissing } from './disk-error.ts';
import type { Layout } from './folders.ts';

/**
 * A lock covers a few calls that never wait for a disk; one that is seen for longer belongs to a process that was
 * killed. Its age by the clock would say nothing: clocks jump.
 */
const ABANDONED_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 5;
/** Longer pauses do not count: the holder may have been suspended as well. */
const MAX_PAUSE_MILLISECONDS = 1_000;

/**
 * Runs an operation while no other operation, in any process, puts a file at one of these paths. rename(2) cannot
 * reject an existing destination, and does nothing if both names are links to the same file, so a move must check
 * first. Node does not support file locks, so each lock is a temporary file.
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
  let holder: string | undefined;
  let lookedAt = performance.now();
  let seenFor = 0;
  for (;;) {
    try {
      return await writeFile(lock, '', { flag: 'wx' });
    } catch (error) {
      if (diskCodeOf(error) !== 'EEXIST') throw error;
    }
    const found = await identifyVersion(lock);
    const now = performance.now();
    seenFor = found === holder ? seenFor + Math.min(now - lookedAt, MAX_PAUSE_MILLISECONDS) : 0;
    holder = found;
    lookedAt = now;
    if (holder === undefined) continue;
    if (seenFor > ABANDONED_MILLISECONDS) await removeAbandoned(lock, holder);
    else await wait(POLL_MILLISECONDS);
  }
}

/** Several processes may wait for the same lock: without a lock, the second one would remove that of the first. */
async function removeAbandoned(lock: string, holder: string): Promise<void> {
  const removal = `${lock}.removal`;
  await take(removal);
  try {
    if ((await identifyVersion(lock)) === holder) await rm(lock, { force: true });
  } finally {
    await rm(removal, { force: true });
  }
}

/** Returns a value that changes whenever another file is placed at the path. */
export async function identifyVersion(path: string): Promise<string | undefined> {
  const stats = await orMissing(() => lstat(path, { bigint: true }));
  return stats && `${stats.dev}:${stats.ino}:${stats.mtimeNs}`;
}
