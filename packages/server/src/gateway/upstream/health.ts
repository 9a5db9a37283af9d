/** Failures to connect, one after the other, that take an endpoint out. */
const FAILURES = 3;
/** How long it stays out at first, and at most, in milliseconds; each failed trial doubles the time. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Passive health of one endpoint: it is taken out after several failures to connect in a row. When its
 * pause is over, one call is let through as a trial; its success takes the endpoint back in.
 */
export class Health {
  readonly #now: () => number;
  #failures = 0;
  #pause = 0;
  #until = 0;
  #isTried = false;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a call may go there: it is in, or a trial is due and nobody makes it yet. */
  get isUsable(): boolean {
    return this.#pause === 0 || (!this.#isTried && this.#now() >= this.#until);
  }

  get isOut(): boolean {
    return this.#pause > 0;
  }

  /** Notes that a call goes there. */
  begin(): void {
    if (this.#pause > 0) this.#isTried = true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#pause = 0;
    this.#isTried = false;
  }

  /** Notes a call that ended before it could tell anything. */
  forget(): void {
    this.#isTried = false;
  }

  fail(): void {
    this.#failures += 1;
    this.#isTried = false;
    if (this.#failures < FAILURES) return;
    this.#pause = this.#pause === 0 ? FIRST_PAUSE : Math.min(this.#pause * 2, LONGEST_PAUSE);
    this.#until = this.#now() + this.#pause;
  }
}
