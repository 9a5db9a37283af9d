/** A session's clock, which tests can set. It determines when links and grants expire. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Sets the time, then continues from there or freezes. */
  set(now: number, options?: { readonly frozen?: boolean }): void;
  /** Advances the time by milliseconds. */
  advance(ms: number): void;
  /** Returns to the machine's time. */
  reset(): void;
  /** What was set: how many milliseconds ahead of the machine it is, and whether it is frozen. */
  readonly state: { readonly offset: number; readonly frozen: boolean };
}

/** Creates a clock that follows the machine's clock until it is set. */
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
      // For a running clock only the offset is increased: the machine's clock may advance between two
      // readings.
      if (frozenAt === undefined) offset += ms;
      else set(frozenAt + ms, true);
    },
    reset() {
      offset = 0;
      frozenAt = undefined;
    },
    get state() {
      // Two readings of the machine's clock may differ, so a running clock keeps exactly the offset that
      // was set.
      return frozenAt === undefined
        ? { offset, frozen: false }
        : { offset: frozenAt - machine(), frozen: true };
    },
  };
}
