/** The time of a session, which tests can set: links and grants expire by it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Sets the time, and continues from there, or freezes it. */
  set(now: number, options?: { readonly frozen?: boolean }): void;
  /** Advances the time by milliseconds. */
  advance(ms: number): void;
  /** Returns to the machine's time. */
  reset(): void;
  /** What was set: milliseconds ahead of the machine, and whether time is frozen. */
  readonly state: { readonly offset: number; readonly frozen: boolean };
}

/** A clock that follows the machine's until it is set. */
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
      // For a running clock only the offset is increased: the machine's may advance between two readings.
      if (frozenAt === undefined) offset += ms;
      else set(frozenAt + ms, true);
    },
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
    get state() {
      // Two readings of the machine's clock may differ, so the offset of a running clock is exactly the
      // one that was set.
      return frozenAt === undefined
        ? { offset, frozen: false }
        : { offset: frozenAt - machine(), frozen: true };
    },
  };
}
