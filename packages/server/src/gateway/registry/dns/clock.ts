/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds from any fixed point; never goes back. */
  now(): number;
  /** Calls `task` after `ms` milliseconds, and does not keep the process alive for it. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};
