import { once } from 'node:events';
import { vi } from 'vitest';

/** Resolves with the next warning, which says why a service or a file is invalid. */
export async function nextWarning(): Promise<string> {
  const [warning] = (await once(process, 'warning')) as [Error];
  return warning.message;
}

/** Lets the time limits of the mock pass until a promise settles. Timers must be fake. */
export async function advanceUntil<Value>(promise: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settled = promise.finally(() => (isSettled = true));
  settled.catch(() => {});
  while (!isSettled) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return promise;
}
