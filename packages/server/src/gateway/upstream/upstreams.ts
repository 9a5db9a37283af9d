import type { Endpoint } from '../service-registry.ts';
import { Upstream } from './upstream.ts';

/** The first sweep comes at so many endpoints; each next one when there are twice as many. */
const FIRST_SWEEP = 64;

/**
 * Every endpoint that was called: versions and services that share one share its health. An address whose
 * certificate must bear another name is another endpoint.
 */
export class Upstreams {
  readonly #connectMilliseconds: number;
  readonly #now: () => number;
  readonly #byKey = new Map<string, Upstream>();
  #sweepAt = FIRST_SWEEP;

  constructor(connectMilliseconds: number, now: () => number) {
    this.#connectMilliseconds = connectMilliseconds;
    this.#now = now;
  }

  of(endpoint: Endpoint): Upstream {
    const key = `${endpoint.origin} ${endpoint.servername ?? ''}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#sweepAt) this.#sweep();
    const upstream = new Upstream(endpoint, this.#connectMilliseconds, this.#now);
    this.#byKey.set(key, upstream);
    return upstream;
  }

  [Symbol.iterator](): Iterator<Upstream> {
    return this.#byKey.values();
  }

  /** Forgets addresses that came and went, as those of pods do. */
  #sweep(): void {
    for (const [key, upstream] of this.#byKey) {
      if (upstream.isUnused) this.#byKey.delete(key);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#byKey.size * 2);
  }
}
