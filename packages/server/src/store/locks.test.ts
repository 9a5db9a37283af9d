import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocks, type SharedLock } from './locks.ts';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }),
);
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Runs work under a lock whose commands have these results, in turn; the last one stays. */
function lockWith(...results: (0 | 1 | undefined)[]) {
  const scripts: string[] = [];
  const withLocks = createLocks(
    async (script) => {
      scripts.push(script);
      return results.length > 1 ? results.shift() : results[0];
    },
    () => 0,
  );
  return { scripts, withLocks };
}

const untilAborted = (lock?: SharedLock) =>
  new Promise((_, reject) =>
    lock?.signal.addEventListener('abort', () => reject(lock.signal.reason)),
  );

test.each([
  ['another replica has the lock', 0, 5_000],
  ['the lock could not be renewed for 15 seconds', undefined, 20_000],
] as const)('aborts the work when %s', async (_, renewed, milliseconds) => {
  const { withLocks } = lockWith(1, renewed);
  const work = withLocks(['a'], untilAborted);
  const outcome = expect(work).rejects.toThrow('The lock of the file was lost.');
  await wait(0);
  let isOver = false;
  work.catch(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await outcome;
});

test('keeps a lock that is renewed', async () => {
  const { scripts, withLocks } = lockWith(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = withLocks(['a'], async (lock) => {
    await promise;
    lock?.assertHeld();
    return lock?.signal.aborted;
  });
  await wait(0);
  await vi.advanceTimersByTimeAsync(60_000);
  resolve();
  expect(await work).toBe(false);
  expect(scripts).toHaveLength(14);
});

const CLOCKS = ['performance', 'Date'] as const;

test.each(CLOCKS)('a lock is lost while the process or machine sleeps (%s)', async (name) => {
  const { withLocks } = lockWith(1);
  const clock = globalThis[name];
  const work = withLocks(['a'], async (lock) => {
    lock?.assertHeld();
    const now = clock.now();
    vi.spyOn(clock, 'now').mockReturnValue(now + 15_001);
    lock?.assertHeld();
  });
  await expect(work).rejects.toThrow('The lock of the file was lost.');
});
