import type { Clock } from './clock.ts';

/** A clock that goes with the one of the machine until it is set. */
export function createClock(machine: () => number = Date.now): Clock {
  let offset = 0;
  let frozenAt: number | undefined;
  const now = () => frozenAt ?? machine() + offset;
  const set = (time: number, frozen: boolean) => {
    offset = time - machine();
    frozenAt = frozen ? time : undefined;
  };
  return {
    now,
    set: (time, { frozen = false } = {}) => set(time, frozen),
    advance(ms) {
      // Of a clock that goes only the offset grows: the machine's may go on between two readings.
      if (frozenAt === undefined) offset += ms;
      else set(frozenAt + ms, true);
    },
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
    get state() {
      // Two readings of the machine's clock may differ: the offset of a clock that goes is the one that was set.
      return frozenAt === undefined
        ? { offset, frozen: false }
        : { offset: frozenAt - machine(), frozen: true };
    },
  };
}
