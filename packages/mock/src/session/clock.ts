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
