import { randomUUID } from 'node:crypto';
import { lstat, readdir, readFile, readlink, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StoreUnavailableError } from '@berth/storage';
import { startTimer } from '../locks.ts';
import { ifExists, makeFolder } from './file-system.ts';

export type Claim = Awaited<ReturnType<typeof claimStore>>;

const RENEWAL_MILLISECONDS = 5_000;
/** After this long without a renewal, this process looks again before it changes anything. */
const TRUST_MILLISECONDS = 2 * RENEWAL_MILLISECONDS;
/** After this long without a renewal, another process is presumed to have exited, unless the system says otherwise. */
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
 * | Host name | Place (`identifyProcess`)    | The process has exited                                           |
 * | --------- | ---------------------------- | ---------------------------------------------------------------- |
 * | the same  | the same                     | if the system says so                                            |
 * | the same  | another, such as a container | if it does not renew while this process watches                  |
 * | another   |                              | if it has not renewed for a day and is `shared`; otherwise never |
 *
 * @throws StoreUnavailableError if another process uses the store, unless both share locks. Of two processes that start
 *   together, both may be refused
 */
export async function claimStore(root: string, { ownership, advice, onWait }: ClaimOptions) {
  const folder = join(root, 'owners');
  await makeFolder(folder);
  const { start, place } = await identifyProcess();
  const name = [ownership, process.pid, start, randomUUID(), place, hostname()].join('.');
  const file = join(folder, name);
  /** The last renewal of each other claim that this process watches, and when this process first saw it. */
  const renewals = new Map<string, { renewedAt: number; seenAt: number; state: State }>();
  let timeSinceRenewal = startTimer();
  let renewing: Promise<void> | undefined;
  let isReleased = false;

  /** Returns the processes that must not use the store as well, and removes the claims of those that have exited. */
  async function findConflicts() {
    const conflicts: { state: State; problem: string }[] = [];
    for (const other of (await ifExists(readdir(folder))) ?? []) {
      const owner = parseOwner(other);
      // A file manager may have added a file, such as .DS_Store.
      if (owner === undefined || other === name) continue;
      const path = join(folder, other);
      const state = await stateOf(owner, path);
      if (state === 'exited') await rm(path, { force: true });
      else if (ownership === 'alone' || owner.ownership === 'alone') {
        const problem = `Process ${owner.pid} on ${owner.host} uses the store: ${advice}.`;
        conflicts.push({ state, problem: `${problem} If it has exited, remove ${path}.` });
      }
    }
    return conflicts;
  }

  async function stateOf(owner: Owner, path: string): Promise<State> {
    const isSameHost = owner.host === hostname();
    if (isSameHost && owner.place === place)
      return (await isRunning(owner, start)) ? 'running' : 'exited';
    const renewedAt = (await ifExists(lstat(path)))?.mtimeMs;
    if (renewedAt === undefined) return 'exited';
    const isRecent = Date.now() - renewedAt < EXITED_ELSEWHERE_MILLISECONDS;
    // A machine that was cut off from the disk could still change a file, without a lock.
    if (!isSameHost && (owner.ownership === 'alone' || isRecent)) return 'running';
    const last = renewals.get(path);
    const seenAt = performance.now();
    if (last?.renewedAt === renewedAt)
      return seenAt - last.seenAt < EXITED_MILLISECONDS ? last.state : 'exited';
    const state = last === undefined ? 'unknown' : 'running';
    renewals.set(path, { renewedAt, seenAt, state });
    return state;
  }

  /** @throws StoreUnavailableError after `release`, or if another process may have taken over the store */
  async function renew(): Promise<void> {
    if (isReleased) throw new StoreUnavailableError('The store is closed.');
    renewing ??= renewAndLook().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function renewAndLook(): Promise<void> {
    const timer = startTimer();
    const now = new Date();
    if (!(await ifExists(utimes(file, now, now).then(() => true)))) {
      // Another process presumed that this one has exited. That stays in mind until a look finds no conflict.
      timeSinceRenewal = () => Infinity;
      await writeFile(file, '');
    }
    const [conflict] = await findConflicts();
    // While this claim is fresh, any other process is only starting, finds the claim, and is refused.
    if (conflict && isStale()) throw new StoreUnavailableError(conflict.problem);
    timeSinceRenewal = timer;
  }

  const isStale = () => timeSinceRenewal() > TRUST_MILLISECONDS;

  // Before looking for others: of two processes that start together, at least one sees the other.
  await writeFile(file, '', { flag: 'wx' });
  // The next call looks again, and every call fails while the disk cannot be used.
  const interval = setInterval(() => renew().catch(() => {}), RENEWAL_MILLISECONDS).unref();

  async function release(): Promise<void> {
    isReleased = true;
    clearInterval(interval);
    // It may be about to write the claim again.
    await renewing?.catch(() => {});
    await rm(file, { force: true });
  }

  try {
    for (let isFirst = true; ; isFirst = false) {
      const conflicts = await findConflicts();
      const running = conflicts.filter(({ state }) => state === 'running');
      const problems = running.map(({ problem }) => problem);
      if (problems.length > 0) throw new StoreUnavailableError(problems.join('\n'));
      if (conflicts.length === 0) break;
      if (isFirst) onWait?.();
      await wait(POLL_MILLISECONDS);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return {
    release,
    renew,
    /** @throws StoreUnavailableError as `renew` does */
    async assertHeld(): Promise<void> {
      if (isReleased || isStale()) await renew();
      // It waited for a renewal that began before this process was suspended.
      if (isStale()) throw new StoreUnavailableError(`Could not renew ${file} in time.`);
    },
  };
}

/** Identifies this process if the system does not. */
const PROCESS_ID = randomUUID();

/** Returns when this process started, and where process IDs mean the same: on Linux, a PID namespace of one boot. */
export async function identifyProcess(): Promise<{ start: string; place: string }> {
  if (process.platform !== 'linux') return { start: PROCESS_ID, place: '' };
  try {
    // A container may see the processes of another PID namespace there.
    if ((await readlink('/proc/self')) !== `${process.pid}`) throw new Error('Other process IDs.');
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    const namespace = (await readlink('/proc/self/ns/pid')).replaceAll(/\D/g, '');
    return { start: (await findStart(process.pid)) ?? PROCESS_ID, place: `${boot}-${namespace}` };
  } catch {
    return { start: PROCESS_ID, place: PROCESS_ID };
  }
}

/** Returns when a process started, in clock ticks since the machine did (Linux only). */
async function findStart(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // Field 22. The second one is the name of the program in parentheses, which may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** Whether an owner in the same place is running. Another process, even this one, may have got its ID. */
async function isRunning({ pid, start }: Owner, ownStart: string): Promise<boolean> {
  const actual = pid === process.pid ? ownStart : await findStart(pid);
  if (actual !== undefined) return actual === start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** `unknown`: it has not renewed its claim yet since this process looks, but still may. */
type State = 'running' | 'unknown' | 'exited';

type Owner = NonNullable<ReturnType<typeof parseOwner>>;

const CLAIM = /^(alone|shared)\.(\d+)\.([\w-]+)\.[\w-]+\.([\w-]*)\.(.*)$/;

function parseOwner(name: string) {
  const [, ownership, pid, start = '', place = '', host = ''] = CLAIM.exec(name) ?? [];
  return ownership === undefined ? undefined : { ownership, pid: Number(pid), start, place, host };
}
