import { availableParallelism } from 'node:os';
import { createMd5Thread, type Md5Thread } from './md5-thread.ts';

/** One core is left to the event loop; beyond four the disk is slower than they are. */
const MOST = Math.min(4, Math.max(1, availableParallelism() - 1));
let threads: Md5Thread[] = [];

/** The thread with the least to do. They are started when they are needed, and kept for the process. */
export function findMd5Thread(): Md5Thread {
  threads = threads.filter(({ isGone }) => !isGone);
  const idlest = threads.toSorted((one, other) => one.load - other.load)[0];
  if (idlest !== undefined && (idlest.load === 0 || threads.length >= MOST)) return idlest;
  const thread = createMd5Thread();
  threads.push(thread);
  return thread;
}
