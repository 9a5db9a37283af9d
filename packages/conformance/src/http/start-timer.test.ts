import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTimer } from './start-timer.ts';

/** Milliseconds until a timer ended, if this process is blocked for `blocked` of them. */
async function measure(milliseconds: number, blocked: number): Promise<number> {
  const started = performance.now();
  const { promise, resolve } = Promise.withResolvers<void>();
  startTimer(milliseconds, resolve);
  await wait(1);
  const end = performance.now() + blocked;
  while (performance.now() < end);
  await promise;
  return performance.now() - started;
}

test('time during which the process is blocked barely counts', async () => {
  expect(await measure(200, 300)).toBeGreaterThan(450);
});

test('does not fire after it was stopped', async () => {
  let ended = false;
  startTimer(10, () => {
    ended = true;
  })();
  await wait(50);
  expect(ended).toBe(false);
});
