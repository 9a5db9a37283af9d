import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailableError } from '@berth/storage';

/** `shared`: with other processes, which share locks. */
type Ownership = 'alone' | 'shared';

/**
 * Makes this process an owner of a store on disk. Each owner is an empty file in `<root>/owners/`, whose name says
 * which process it is. The files of processes that have ended are removed.
 * @param advice what to do if another process uses the store
 * @returns a function that releases the store
 * @throws StoreUnavailableError if another process uses the store, unless both share locks
 */
export async function claimStore(
  root: string,
  ownership: Ownership,
  advice: string,
): Promise<() => Promise<void>> {
  const folder = join(root, 'owners');
  await mkdir(folder, { recursive: true });
  const entry = [ownership, process.pid, Date.now(), randomUUID(), hostname()].join('.');
  const release = () => rm(join(folder, entry), { force: true });
  // Before looking for others: of two processes that start together, at least one sees the other.
  await writeFile(join(folder, entry), '', { flag: 'wx' });
  try {
    for (const name of await readdir(folder)) {
      if (name === entry) continue;
      if (!isRunning(name)) await rm(join(folder, name), { force: true });
      else if (ownership === 'alone' || !name.startsWith('shared.')) {
        const { pid, host } = parse(name);
        throw new StoreUnavailableError(
          `Process ${pid} on ${host} uses the store: ${advice}. If it has ended, remove ${join(folder, name)}.`,
        );
      }
    }
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

function isRunning(name: string): boolean {
  const { pid, since, host } = parse(name);
  // Whether a process on another machine is running is unknown.
  if (host !== hostname()) return true;
  // A process that was restarted, in a container for example, may have the same ID.
  if (pid === process.pid) return since >= Date.now() - process.uptime() * 1000;
  if (since < Date.now() - uptime() * 1000) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function parse(name: string) {
  const [, pid, since, , ...host] = name.split('.');
  return { pid: Number(pid), since: Number(since), host: host.join('.') };
}
