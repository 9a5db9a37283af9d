import { setTimeout as wait } from 'node:timers/promises';

const LONGEST_WAIT = 30_000;
const FIRST_WAIT = 500;
const MOST_WAITS = 6;

/** Slows every call down while a target answers 429. */
export interface Pace {
  /** Waits until the target may be called again. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Notes a 429, and says whether the call may be made again.
   *
   * @param retryAfter the header, in seconds
   * @param attempt how often this call was refused before
   */
  slowDown(retryAfter: string | undefined, attempt: number): boolean;
}

export function createPace(onSlowDown: (milliseconds: number) => void): Pace {
  let notBefore = 0;
  return {
    async ready(signal) {
      for (let rest = notBefore - Date.now(); rest > 0; rest = notBefore - Date.now()) {
        await wait(rest, undefined, { signal });
      }
    },
    slowDown(retryAfter, attempt) {
      if (attempt >= MOST_WAITS) return false;
      const asked = Number(retryAfter) * 1000;
      const pause = Math.min(LONGEST_WAIT, asked > 0 ? asked : FIRST_WAIT * 2 ** attempt);
      // Calls that waited together come back one after the other.
      const scattered = pause + Math.random() * FIRST_WAIT;
      notBefore = Math.max(notBefore, Date.now() + scattered);
      onSlowDown(pause);
      return true;
    },
  };
}
