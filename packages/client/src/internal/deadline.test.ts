import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDeadline } from './deadline.ts';

const open = (perTry: number, total: number, user?: AbortSignal) =>
  openDeadline(user, { perTry, total }, (ms) => new Error(`${ms} ms`));
const never = () => new Promise<never>(() => {});
const messageOf = (step: Promise<unknown>) => step.catch((error: Error) => error.message);

describe('the limits of a call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('end each step again', async () => {
    const deadline = open(100, 250);
    for (const ms of [100, 100, 250]) {
      const step = messageOf(deadline.step(never));
      await vi.advanceTimersByTimeAsync(100);
      expect(await step).toBe(`${ms} ms`);
    }
    expect(await messageOf(deadline.step(() => expect.unreachable()))).toBe('250 ms');
  });

  it('count the time of a step from its last extension', async () => {
    const deadline = open(100, 0);
    let extend = (_: number) => {};
    const step = messageOf(
      deadline.step((own) => {
        ({ extend } = own);
        return never();
      }),
    );
    for (let turn = 0; turn < 5; turn += 1) {
      await vi.advanceTimersByTimeAsync(99);
      extend(100);
    }
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(await step).toBe('100 ms');
  });

  it('do not mistake the late end of a stopped step for that of the next one', async () => {
    const deadline = open(100, 0);
    const late = Promise.withResolvers<never>();
    const first = messageOf(deadline.step(() => late.promise));
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe('100 ms');
    const second = messageOf(deadline.step(never));
    late.reject(new Error('late'));
    await vi.advanceTimersByTimeAsync(100);
    expect(await second).toBe('100 ms');
  });

  it('only abort leftovers of an ended step when the caller aborts', async () => {
    const user = new AbortController();
    const deadline = open(100, 250, user.signal);
    const signal = await deadline.step(async (own) => own.signal());
    await vi.advanceTimersByTimeAsync(300);
    expect(signal.aborted).toBe(false);
    user.abort('enough');
    expect(signal.reason).toBe('enough');
  });

  it.each([
    ['ended', () => Promise.resolve()],
    ['failed', () => Promise.reject(new Error('failed'))],
  ])('keep no timer and no listener once a step has %s', async (_, run) => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    await open(100, 250, signal)
      .step<unknown>(run)
      .catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(remove).toHaveBeenCalled();
  });

  it('keep no timer for a pause that was aborted', async () => {
    const user = new AbortController();
    const pause = open(0, 0, user.signal).pause(1_000);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(1);
    user.abort('enough');
    await expect(pause).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});
