import type { ServiceVersion } from './services.ts';
import { Upstream } from './upstream.ts';

/** The endpoints of a version, which are called in turn. */
export class Pool {
  readonly #upstreams: readonly Upstream[];
  #next = 0;

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = upstreams;
  }

  /** Number of calls in flight. */
  get outstanding(): number {
    return this.#upstreams.reduce((sum, { outstanding }) => sum + outstanding, 0);
  }

  /** Returns all endpoints: the one whose turn it is, and those to call if it cannot be reached. */
  takeTurn(): readonly Upstream[] {
    const first = this.#next;
    this.#next = (first + 1) % this.#upstreams.length;
    return [...this.#upstreams.slice(first), ...this.#upstreams.slice(0, first)];
  }
}

/** All endpoints that have been called. Versions and services that share an endpoint share its connections. */
export class Upstreams {
  readonly #maxHeaderBytes: number;
  readonly #byOrigin = new Map<string, Upstream>();
  readonly #pools = new WeakMap<ServiceVersion, Pool>();

  constructor(maxHeaderBytes: number) {
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  poolOf(version: ServiceVersion): Pool {
    const known = this.#pools.get(version);
    if (known !== undefined) return known;
    const pool = new Pool(version.endpoints.map((origin) => this.#of(origin)));
    this.#pools.set(version, pool);
    return pool;
  }

  /** Closes idle connections. */
  close(): void {
    for (const upstream of this.#byOrigin.values()) upstream.close();
  }

  #of(origin: string): Upstream {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) return known;
    const upstream = new Upstream(origin, this.#maxHeaderBytes);
    this.#byOrigin.set(origin, upstream);
    return upstream;
  }

  [Symbol.iterator](): Iterator<Upstream> {
    return this.#byOrigin.values();
  }
}
