import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { basename, join } from 'node:path';
import { StoreUnavailableError } from '@berth/storage';
import { ifExists, makeFolder } from './file-system.ts';

export type Claim = Awaited<ReturnType<typeof claimStore>>;

/** A running process renews its claim far more often. */
const ENDED_MILLISECONDS = 24 * 3_600_000;

/**
 * Makes this process an owner of a store on disk. Each owner is an empty file in `<root>/owners/`, whose name says
 * which process it is. The files of processes that have ended are removed.
 * @param ownership `shared`: with other processes, which share locks
 * @param advice what to do if another process uses the store
 * @throws StoreUnavailableError if another process uses the store, unless both share locks
 */
export async function claimStore(root: string, ownership: 'alone' | 'shared', advice: string) {
  const folder = join(root, 'owners');
  await makeFolder(folder);
  const name = [ownership, process.pid, Date.now(), randomUUID(), hostname()].join('.');
  const file = join(folder, name);
  let isReleased = false;
  const release = () => {
    isReleased = true;
    return rm(file, { force: true });
  };
  // Before looking for others: of two processes that start together, at least one sees the other.
  await writeFile(file, '', { flag: 'wx' });
  try {
    const others = await findOthers(folder, name);
    const problems = others
      .filter((other) => ownership === 'alone' || other.ownership !== 'shared')
      .map(({ pid, host, file }) => {
        const user = `Process ${pid} on ${host}`;
        return `${user} uses the store: ${advice}. If it has ended, remove ${file}.`;
      });
    if (problems.length > 0) throw new StoreUnavailableError(problems.join('\n'));
  } catch (error) {
    await release();
    throw error;
  }
  return {
    release,
    /** Call it every few minutes, so that processes on other machines know that this one is running. */
    async renew(): Promise<void> {
      const now = new Date();
      const isPresent = await ifExists(utimes(file, now, now).then(() => true));
      // Another process has removed it if this one was suspended for long.
      if (!isPresent && !isReleased) await writeFile(file, '');
      await findOthers(folder, name);
    },
  };
}

type Owner = ReturnType<typeof parseOwner>;

function parseOwner(file: string) {
  const [ownership, pid, since, , ...host] = basename(file).split('.');
  return { file, ownership, pid: Number(pid), since: Number(since), host: host.join('.') };
}

/** Returns the other owners, and removes the files of those that have ended. */
async function findOthers(folder: string, ownName: string): Promise<Owner[]> {
  const others: Owner[] = [];
  for (const name of (await ifExists(readdir(folder))) ?? []) {
    const owner = parseOwner(join(folder, name));
    // A file manager may have added a file, such as .DS_Store.
    if (name === ownName || Number.isNaN(owner.pid)) continue;
    if (await isRunning(owner)) others.push(owner);
    else await rm(owner.file, { force: true });
  }
  return others;
}

async function isRunning({ file, ownership, pid, since, host }: Owner): Promise<boolean> {
  if (host !== hostname()) {
    // Unknown, unless it renews its claim. Only processes that share the store have to: `fsck` does not.
    if (ownership !== 'shared') return true;
    const stats = await ifExists(lstat(file));
    return stats !== undefined && Date.now() - stats.ctimeMs < ENDED_MILLISECONDS;
  }
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
