import type { Clock } from '../../../../src/gateway/registry/record-memory.ts';

/** A clock that stands until it is turned. */
export interface ManualClock extends Clock {
  /** Timers that wait. */
  readonly timers: ReadonlySet<object>;
  /** Turns the clock, runs what is due, and waits until that has set its next timer. */
  pass(ms: number): Promise<void>;
  /** Turns the clock and runs what is due. */
  turn(ms: number): void;
  /** Resolves when the next timer is set. */
  nextTimer(): Promise<void>;
}

export function createManualClock(): ManualClock {
  let time = 1_000_000;
  let onTimer = () => {};
  const timers = new Set<{ at: number; task: () => void }>();

  const turn = (ms: number) => {
    time += ms;
    for (const timer of timers) {
      if (timer.at > time) continue;
      timers.delete(timer);
      timer.task();
    }
  };
  const nextTimer = () =>
    new Promise<void>((resolve) => {
      onTimer = resolve;
    });

  return {
    timers,
    turn,
    nextTimer,
    now: () => time,
    after(ms, task) {
      const timer = { at: time + ms, task };
      timers.add(timer);
      // After the one that sets it has finished.
      setImmediate(onTimer);
      return () => timers.delete(timer);
    },
    async pass(ms) {
      const set = nextTimer();
      turn(ms);
      await set;
    },
  };
}
