/** A session's clock, which tests can set. It determines when links and grants expire. */
export class Clock {
  #offset = 0;
  #frozenAt: number | undefined;

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#frozenAt ?? Date.now() + this.#offset;
  }

  get isFrozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Sets the time, then continues from there or freezes. */
  set(time: number, { frozen = false }: { readonly frozen?: boolean } = {}): void {
    this.#offset = time - Date.now();
    this.#frozenAt = frozen ? time : undefined;
  }

  /** The machine's clock may advance between two readings, so a running clock does not read it. */
  advance(ms: number): void {
    if (this.#frozenAt === undefined) this.#offset += ms;
    else this.#frozenAt += ms;
  }

  /** Follows the machine's clock again. */
  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
  }
}
