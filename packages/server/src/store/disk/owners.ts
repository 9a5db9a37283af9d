import { randomUUID } from 'node:crypto';
import { lstat, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailableError } from '@berth/storage';
import { ifExists, makeFolder } from './file-system.ts';

export type Claim = Awaited<ReturnType<typeof claimStore>>;

const RENEWAL_MILLISECONDS = 5_000;
/** After this long without a renewal, a process with the same host name has exited, if nothing else is known. */
const EXITED_MILLISECONDS = 3 * RENEWAL_MILLISECONDS;
/** The same for another host name, whose machine may be cut off from the disk for a while. */
const EXITED_ELSEWHERE_MILLISECONDS = 24 * 3_600_000;
const POLL_MILLISECONDS = 500;

interface ClaimOptions {
  /** `shared`: with other processes, which share locks. */
  readonly ownership: 'alone' | 'shared';
  /** What to do if another process uses the store. */
  readonly advice: string;
  /** Called if it takes some seconds to find out whether another process has exited. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Makes this process an owner of a store on disk. Each owner has a claim: an empty file in `<root>/owners/`, whose name
 * says which process it is. While the process runs, it renews its claim.
 *
 * | Host name | Place (`placeOf`)            | The process has exited                                           |
 * | --------- | ---------------------------- | ---------------------------------------------------------------- |
 * | the same  | the same                     | if the system says so                                            |
 * | the same  | another, such as a container | if it stops renewing                                             |
 * | another   |                              | if it has not renewed for a day and is `shared`; otherwise never |
 *
 * @throws StoreUnavailableError if another process uses the store, unless both share locks
 */
export async function claimStore(root: string, { ownership, advice, onWait }: ClaimOptions) {
  const folder = join(root, 'owners');
  await makeFolder(folder);
  const place = await placeOf();
  const since = Date.now();
  const name = [ownership, process.pid, since, randomUUID(), place, hostname()].join('.');
  const file = join(folder, name);
  let renewedAt = since;
  let isReleased = false;
  /** Why this process may no longer change the store. */
  let problem: string | undefined;

  /** Returns the processes that must not use the store as well, and removes the claims of those that have exited. */
  async function findRivals(): Promise<Rival[]> {
    const rivals: Rival[] = [];
    for (const other of (await ifExists(readdir(folder))) ?? []) {
      const owner = parseOwner(join(folder, other));
      // A file manager may have added a file, such as .DS_Store.
      if (other === name || Number.isNaN(owner.pid)) continue;
      const state = await stateOf(owner, place, since);
      if (state === 'exited') await rm(owner.file, { force: true });
      else if (ownership === 'alone' || owner.ownership !== 'shared')
        rivals.push({ state, problem: toProblem(owner, advice) });
    }
    return rivals;
  }

  async function renew(): Promise<void> {
    const now = new Date();
    const isPresent = await ifExists(utimes(file, now, now).then(() => true));
    if (isReleased) return;
    renewedAt = now.getTime();
    // If this process was suspended, another one may have removed the claim and begun to use the store.
    if (!isPresent) await writeFile(file, '');
    const rivals = await findRivals();
    if (!isPresent || problem !== undefined) problem = rivals[0]?.problem;
  }

  // Before looking for others: of two processes that start together, at least one sees the other.
  await writeFile(file, '', { flag: 'wx' });
  // The next call looks again, and every call fails while the disk cannot be used.
  const renewal = setInterval(() => renew().catch(() => {}), RENEWAL_MILLISECONDS).unref();

  function release(): Promise<void> {
    isReleased = true;
    clearInterval(renewal);
    return rm(file, { force: true });
  }

  try {
    let rivals = await findRivals();
    if (rivals.some(({ state }) => state === 'unknown')) onWait?.();
    while (rivals.length > 0) {
      const running = rivals.filter(({ state }) => state === 'running');
      const problems = running.map(({ problem }) => problem);
      if (problems.length > 0) throw new StoreUnavailableError(problems.join('\n'));
      await wait(POLL_MILLISECONDS);
      rivals = await findRivals();
    }
  } catch (error) {
    await release();
    throw error;
  }
  return {
    release,
    renew,
    /** @throws StoreUnavailableError if this process was suspended, and another one has taken over the store */
    async assertHeld(): Promise<void> {
      if (Date.now() - renewedAt > EXITED_MILLISECONDS) await renew();
      if (problem !== undefined) throw new StoreUnavailableError(problem);
    },
  };
}

/** Where the IDs of processes mean the same: a machine since it started, or a container on it. Only Linux has both. */
export async function placeOf(): Promise<string> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const namespace = await readlink('/proc/self/ns/pid');
    return `${boot.trim()}-${namespace.replaceAll(/\D/g, '')}`;
  } catch {
    return '';
  }
}

type Owner = ReturnType<typeof parseOwner>;

/** `unknown`: it has not renewed its claim yet since this process looks, but still may. */
type State = 'running' | 'unknown' | 'exited';

interface Rival {
  readonly state: State;
  readonly problem: string;
}

function toProblem({ pid, host, file }: Owner, advice: string): string {
  return `Process ${pid} on ${host} uses the store: ${advice}. If it has exited, remove ${file}.`;
}

function parseOwner(file: string) {
  const [ownership, pid, since, , place, ...host] = basename(file).split('.');
  return { file, ownership, pid: Number(pid), since: Number(since), place, host: host.join('.') };
}

/** @param lookingSince when this process began to look */
async function stateOf(owner: Owner, place: string, lookingSince: number): Promise<State> {
  const { file, ownership, pid, since, host } = owner;
  const isSameHost = host === hostname();
  if (isSameHost && owner.place === place) return isRunning(pid, since) ? 'running' : 'exited';
  const renewedAt = (await ifExists(lstat(file)))?.mtimeMs ?? 0;
  const age = Date.now() - renewedAt;
  // A machine that was cut off from the disk could still change a file, without a lock.
  if (!isSameHost && ownership !== 'shared') return 'running';
  if (age >= (isSameHost ? EXITED_MILLISECONDS : EXITED_ELSEWHERE_MILLISECONDS)) return 'exited';
  return !isSameHost || renewedAt > lookingSince ? 'running' : 'unknown';
}

function isRunning(pid: number, since: number): boolean {
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
