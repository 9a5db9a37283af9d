import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from './blob-store.ts';
import { diskCodeOf } from './disk-error.ts';

/** Stores that this process has opened. */
const opened = new Set<string>();

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Makes this process the only one that changes a store, because changes of a file only exclude each other within a
 * process. The owner is in a file; that of a process that was killed is replaced.
 * @returns a function that gives the store back
 * @throws StoreUnavailableError if another process, or another server in this one, has opened the store
 */
export async function takeStore(root: string): Promise<() => Promise<void>> {
  const file = join(root, 'owner.json');
  const owner: Owner = { pid: process.pid, host: hostname(), since: Date.now() };
  if (opened.has(root)) throw toUsedError(owner, file);
  opened.add(root);
  try {
    while (!(await claim(file, owner))) {
      const other = await readOwner(file);
      if (other !== undefined && isRunning(other)) throw toUsedError(other, file);
      await rm(file, { force: true });
    }
  } catch (error) {
    opened.delete(root);
    throw error;
  }
  return async () => {
    if (opened.delete(root)) await rm(file, { force: true });
  };
}

async function claim(file: string, owner: Owner): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if (diskCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // A process that was killed while it wrote the file owns nothing.
    return undefined;
  }
}

function isRunning({ pid, host, since }: Owner): boolean {
  // Of a process on another machine, nothing is known.
  if (host !== hostname()) return true;
  const startedAt = Date.now() - uptime() * 1000;
  if (pid === process.pid || since < startedAt) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function toUsedError({ pid, host }: Owner, file: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `Process ${pid} on ${host} uses the store. Use S3 for several processes; if that one has ended, remove ${file}.`,
  );
}
