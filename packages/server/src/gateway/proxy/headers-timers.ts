import type { HeadersTimer } from './headers-timer.ts';

/** How many times within the time of a call the clock is looked at, and how often at least and at most. */
const LOOKS = 50;
const SHORTEST_MILLISECONDS = 10;
const LONGEST_MILLISECONDS = 1000;

/**
 * Ends calls whose service does not answer in time (D13). One timer looks after all of them: a timer for
 * each would cost more than the rest of this, and nobody needs the milliseconds.
 */
export class HeadersTimers {
  readonly #milliseconds: number;
  readonly #waiting = new Set<HeadersTimer>();
  #interval: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(timer: HeadersTimer): number {
    this.#waiting.add(timer);
    this.#interval ??= setInterval(
      () => this.#look(),
      Math.min(Math.max(this.#milliseconds / LOOKS, SHORTEST_MILLISECONDS), LONGEST_MILLISECONDS),
    ).unref();
    return this.due;
  }

  delete(timer: HeadersTimer): void {
    this.#waiting.delete(timer);
  }

  /** When a call that begins now has to be answered. */
  get due(): number {
    return performance.now() + this.#milliseconds;
  }

  #look(): void {
    const now = performance.now();
    for (const timer of this.#waiting) if (timer.due <= now) timer.expire();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#interval);
    this.#interval = undefined;
  }
}
