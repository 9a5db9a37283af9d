import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { singleFlight } from './single-flight-in-workers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('single flight in Workers', () => {
  it('runs once for all waiting callers, and again for later ones', async () => {
    const run = vi.fn(async (value: number) => value);
    const shared = singleFlight(run);
    expect(await Promise.all([shared(1), shared(2)])).toEqual([1, 1]);
    expect(await shared(3)).toBe(3);
    expect(run).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('fails for all waiting callers, without another run', async () => {
    const run = vi.fn(() => Promise.reject(new Error('down')));
    const shared = singleFlight<void, unknown>(run);
    const [one, other] = await Promise.allSettled([shared(), shared()]);
    expect(one).toMatchObject({ status: 'rejected', reason: new Error('down') });
    expect(other).toEqual(one);
    expect(run).toHaveBeenCalledTimes(1);
    await expect(shared()).rejects.toThrow('down');
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs again, once for all waiting callers, if the first run never ends', async () => {
    const second = Promise.withResolvers<string>();
    const run = vi
      .fn<() => Promise<string>>()
      .mockReturnValueOnce(new Promise(() => {}))
      .mockReturnValueOnce(second.promise);
    const shared = singleFlight<void, unknown>(run);
    shared();
    const waiting = [shared(), shared()];
    await vi.advanceTimersByTimeAsync(4_999);
    expect(run).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(2);
    second.resolve('there');
    expect(await Promise.all(waiting)).toEqual(['there', 'there']);
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('runs immediately if the first run fails only for others', async () => {
    const ended = { finally: () => Promise.reject(new Error('of a request that has ended')) };
    const run = vi.fn<() => Promise<string>>().mockReturnValueOnce(ended as never);
    run.mockResolvedValue('there');
    const shared = singleFlight<void, unknown>(run);
    shared().catch(() => {});
    expect(await shared()).toBe('there');
  });

  it('keeps later runs when an earlier, slow one ends', async () => {
    const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    const run = vi
      .fn<() => Promise<number>>()
      .mockReturnValueOnce(first.promise)
      .mockReturnValueOnce(second.promise);
    const shared = singleFlight<void, unknown>(run);
    const slow = shared();
    const next = shared();
    await vi.advanceTimersByTimeAsync(5_000);
    first.resolve(1);
    expect(await slow).toBe(1);
    const last = shared();
    second.resolve(2);
    expect(await Promise.all([next, last])).toEqual([2, 2]);
    expect(run).toHaveBeenCalledTimes(2);
  });
});
