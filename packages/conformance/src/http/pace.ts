import { setTimeout as wait } from 'node:timers/promises';

const LONGEST_WAIT = 30_000;
const FIRST_WAIT = 500;
/** How often one call is made again. */
const MOST_WAITS = 6;
/** Shortest and longest time between the beginnings of two calls, in milliseconds, once there was a 429. */
const GAPS = { least: 10, most: 2000 };

/** Slows every call down while a target answers 429. */
export interface Pace {
  /** Waits until the target may be called. */
  ready(signal: AbortSignal): Promise<void>;
  /** Notes an answer other than 429. */
  accepted(): void;
  /**
   * Notes a 429, and says whether the call may be made again.
   *
   * @param retryAfter the header, in seconds or as a date
   * @param attempt how often this call was refused before
   */
  slowDown(retryAfter: string | undefined, attempt: number): boolean;
}

export function createPace(onSlowDown: (milliseconds: number) => void): Pace {
  let notBefore = 0;
  let last = 0;
  let gap = 0;
  /** A call was given up, and none has been accepted since. */
  let isHopeless = false;
  return {
    async ready(signal) {
      for (;;) {
        const now = Date.now();
        const slot = Math.max(now, notBefore, last + gap);
        last = slot;
        if (slot > now) await wait(slot - now, undefined, { signal });
        // Others may have been refused in the meantime.
        if (notBefore <= Date.now()) return;
      }
    },
    accepted() {
      isHopeless = false;
      gap *= 0.99;
    },
    slowDown(retryAfter, attempt) {
      isHopeless ||= attempt >= MOST_WAITS;
      if (isHopeless) return false;
      const now = Date.now();
      const pause = Math.min(LONGEST_WAIT, toMilliseconds(retryAfter) ?? FIRST_WAIT * 2 ** attempt);
      // Calls that were under way together are refused together.
      if (now >= notBefore) {
        gap = Math.min(GAPS.most, Math.max(GAPS.least, gap * 2));
        onSlowDown(pause);
      }
      notBefore = Math.max(notBefore, now + pause);
      return true;
    },
  };
}

/** `Retry-After` (RFC 9110, section 10.2.3); `undefined` where it names no time to come. */
function toMilliseconds(retryAfter = ''): number | undefined {
  const pause = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.now();
  return pause > 0 ? pause : undefined;
}
