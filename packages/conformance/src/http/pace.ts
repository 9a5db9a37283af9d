import { setTimeout as wait } from 'node:timers/promises';

const LONGEST_WAIT = 30_000;
const FIRST_WAIT = 500;
/** How often one call is retried. */
const MOST_WAITS = 6;
/** Minimum and maximum time between the starts of two calls after a 429, in milliseconds. */
const GAPS = { least: 10, most: 2000 };
/** The fraction of that time that remains after a call without a 429. */
const DECAY = 0.98;

export class Pace {
  #notBefore = 0;
  #last = 0;
  #gap = 0;
  /** The 429 that started the current wait, and the end of that wait. */
  readonly #wave = { at: 0, until: 0 };
  /** Whether a call was given up, and none has succeeded since. */
  #isHopeless = false;
  readonly #onSlowDown: (milliseconds: number) => void;

  constructor(onSlowDown: (milliseconds: number) => void) {
    this.#onSlowDown = onSlowDown;
  }

  /**
   * Waits until the target may be called.
   *
   * @param own when this call may be retried, from `slowDown`
   */
  async ready(signal: AbortSignal, own = 0): Promise<void> {
    if (own > Date.now()) await wait(own - Date.now(), undefined, { signal });
    for (;;) {
      const now = Date.now();
      const slot = Math.max(now, this.#notBefore, this.#last + this.#gap);
      this.#last = slot;
      if (slot > now) await wait(slot - now, undefined, { signal });
      // Other calls may have received a 429 in the meantime.
      if (this.#notBefore <= Date.now()) return;
    }
  }

  accepted(): void {
    this.#isHopeless = false;
    this.#gap *= DECAY;
  }

  /**
   * Records a 429. The first one delays only its own call; a 429 for a call that was made in the meantime
   * delays and spreads all calls.
   *
   * @param retryAfter the header, in seconds or as a date
   * @param attempt how many earlier attempts got a 429
   * @param began when this call was made
   * @returns when to retry the call; `undefined` to give up
   */
  slowDown(retryAfter: string | undefined, attempt: number, began: number): number | undefined {
    this.#isHopeless ||= attempt >= MOST_WAITS;
    if (this.#isHopeless) return undefined;
    const now = Date.now();
    const pause = Math.min(LONGEST_WAIT, toMilliseconds(retryAfter) ?? FIRST_WAIT * 2 ** attempt);
    const wave = this.#wave;
    if (now >= wave.until) {
      Object.assign(wave, { at: now, until: now + pause });
      this.#onSlowDown(pause);
    } else if (began > wave.at) {
      // Concurrent calls receive their 429 together.
      if (now >= this.#notBefore) {
        this.#gap = Math.min(GAPS.most, Math.max(GAPS.least, this.#gap * 2));
      }
      wave.until = Math.max(wave.until, now + pause);
      this.#notBefore = Math.max(this.#notBefore, wave.until);
    }
    return now + pause;
  }
}

/**
 * Parses `Retry-After` (RFC 9110, section 10.2.3); returns `undefined` unless it names a time in the future.
 */
function toMilliseconds(retryAfter = ''): number | undefined {
  const pause = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.now();
  return pause > 0 ? pause : undefined;
}
