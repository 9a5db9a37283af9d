/** The time of a session, which tests can set: links and grants expire by it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Sets the time, and lets it go on from there, or stand still. */
  set(now: number, options?: { readonly frozen?: boolean }): void;
  /** Moves the time on by milliseconds. */
  advance(ms: number): void;
  /** Back to the time of the machine. */
  reset(): void;
  /** What was set, in milliseconds that the time is ahead, and whether it stands still. */
  readonly state: { readonly offset: number; readonly frozen: boolean };
}

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
