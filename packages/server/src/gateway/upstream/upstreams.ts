import { Upstream } from './upstream.ts';

/** The first sweep comes at so many endpoints; each next one when there are twice as many. */
const FIRST_SWEEP = 64;

/** Every endpoint that was called, by origin: versions and services that share one share its health. */
export class Upstreams {
  readonly #connectMilliseconds: number;
  readonly #now: () => number;
  readonly #byOrigin = new Map<string, Upstream>();
  #sweepAt = FIRST_SWEEP;

  constructor(connectMilliseconds: number, now: () => number) {
    this.#connectMilliseconds = connectMilliseconds;
    this.#now = now;
  }

  of(origin: string): Upstream {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) return known;
    if (this.#byOrigin.size >= this.#sweepAt) this.#sweep();
    const upstream = new Upstream(origin, this.#connectMilliseconds, this.#now);
    this.#byOrigin.set(origin, upstream);
    return upstream;
  }

  [Symbol.iterator](): Iterator<Upstream> {
    return this.#byOrigin.values();
  }

  /** Forgets addresses that came and went, as those of pods do. */
  #sweep(): void {
    for (const [origin, upstream] of this.#byOrigin) {
      if (upstream.isUnused) this.#byOrigin.delete(origin);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#byOrigin.size * 2);
  }
}
