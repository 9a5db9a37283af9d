import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { wait } from './wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends after its time', async () => {
  const waited = wait(1_000, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(1_000);
  await waited;
});

it('holds no timer once the signal aborts', () => {
  const controller = new AbortController();
  wait(1_000, controller.signal);
  expect(vi.getTimerCount()).toBe(1);
  controller.abort();
  expect(vi.getTimerCount()).toBe(0);
});
