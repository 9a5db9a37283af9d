/** What may take so long and no longer. A place in the list of those that wait. */
export interface Timed {
  before: Timed | undefined;
  after: Timed | undefined;
  /** Milliseconds of the clock of `performance`. */
  due: number;
  expire(): void;
}

/**
 * Times of the same length, for many calls at once, with one timer for all. They come due in the order in
 * which they began, so a list is enough; what has ended leaves no trace in it.
 */
export class Deadlines {
  readonly #milliseconds: number;
  #first: Timed | undefined;
  #last: Timed | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  start(timed: Timed): void {
    timed.due = performance.now() + this.#milliseconds;
    timed.before = this.#last;
    if (this.#last === undefined) this.#first = timed;
    else this.#last.after = timed;
    this.#last = timed;
    this.#timer ??= setTimeout(this.#look, this.#milliseconds).unref();
  }

  /** Begins anew, where it has begun and not ended. */
  restart(timed: Timed): void {
    if (!this.#has(timed)) return;
    this.stop(timed);
    this.start(timed);
  }

  /** Nothing happens where it has not begun, or has ended. */
  stop(timed: Timed): void {
    if (!this.#has(timed)) return;
    const { before, after } = timed;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    timed.before = undefined;
    timed.after = undefined;
  }

  #has(timed: Timed): boolean {
    return timed.before !== undefined || this.#first === timed;
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    while (this.#first !== undefined && this.#first.due <= now) {
      const timed = this.#first;
      this.stop(timed);
      timed.expire();
    }
    if (this.#first === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(this.#look, Math.ceil(this.#first.due - now)).unref();
  };
}
