/** Failures, one after the other, that take an endpoint out. */
const FAILURES = 3;
/** How long it stays out at first, and at most, in milliseconds; each failed trial doubles the time. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Passive health of one endpoint: it is taken out after several calls in a row that got no answer. When
 * its pause is over, one call is let through as a trial; an answer, whatever it says, takes it back in.
 */
export class Health {
  readonly #now: () => number;
  #failures = 0;
  #pause = 0;
  #until = 0;
  #isTried = false;
  #wasReached = false;

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

  /**
   * Whether it is out though it takes connections. It is then called where there is no better endpoint:
   * a few requests that make a service break must not take it from everybody.
   */
  get isLastResort(): boolean {
    return this.#pause > 0 && this.#wasReached;
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

  /** @param wasReached whether it took the connection */
  fail(wasReached: boolean): void {
    this.#failures += 1;
    this.#isTried = false;
    this.#wasReached = wasReached;
    if (this.#failures < FAILURES) return;
    const now = this.#now();
    // Calls that began before it was taken out tell nothing new.
    if (this.#pause > 0 && now < this.#until) return;
    this.#pause = this.#pause === 0 ? FIRST_PAUSE : Math.min(this.#pause * 2, LONGEST_PAUSE);
    this.#until = now + this.#pause;
  }
}
