/** A session's clock, which tests can set. It determines when links and grants expire. */
export class Clock {
  readonly #machine: () => number;
  #offset = 0;
  #frozenAt: number | undefined;

  /** @param machine the machine's clock, in milliseconds since the epoch */
  constructor(machine: () => number = Date.now) {
    this.#machine = machine;
  }

  now(): number {
    return this.#frozenAt ?? this.#machine() + this.#offset;
  }

  /** Sets the time, then continues from there or freezes. */
  set(time: number, { frozen = false }: { readonly frozen?: boolean } = {}): void {
    this.#offset = time - this.#machine();
    this.#frozenAt = frozen ? time : undefined;
  }

  /** The machine's clock may advance between two readings, so a running clock does not read it. */
  advance(ms: number): void {
    if (this.#frozenAt === undefined) this.#offset += ms;
    else this.#frozenAt += ms;
  }

  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
  }

  /** How many milliseconds it is ahead of the machine's clock, and whether it is frozen. */
  get state(): { readonly offset: number; readonly frozen: boolean } {
    return this.#frozenAt === undefined
      ? { offset: this.#offset, frozen: false }
      : { offset: this.#frozenAt - this.#machine(), frozen: true };
  }
}
