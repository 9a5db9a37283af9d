import type { Endpoint, ServiceVersion } from './registry/service-registry.ts';
import { Upstream } from './upstream.ts';

/** Number of endpoints that triggers the first sweep; each later sweep is triggered when it has doubled. */
const FIRST_SWEEP = 64;

/** An endpoint of a version. */
export interface Target {
  readonly upstream: Upstream;
  /** Weight relative to the other endpoints. Endpoints with 0 are called only if no other can be. */
  readonly share: number;
}

/**
 * Returns the healthy endpoint with the fewest calls in flight relative to its weight, or `undefined` if none
 * can be called. Ties are broken at random, by weight.
 *
 * @param failed the endpoint of a failed first attempt, which is chosen only if there is no other one
 */
export function chooseUpstream(
  targets: readonly Target[],
  failed: Upstream | undefined,
): Upstream | undefined {
  const others = failed === undefined ? targets : targets.filter((one) => one.upstream !== failed);
  return (
    pick(others, isAvailable) ??
    (failed?.health.isUsable ? failed : undefined) ??
    pick(others, isLastResort) ??
    (failed?.health.isLastResort ? failed : undefined)
  );
}

function isAvailable({ health }: Upstream): boolean {
  return health.isUsable;
}

function isLastResort({ health }: Upstream): boolean {
  return health.isLastResort;
}

function pick(
  targets: readonly Target[],
  suits: (upstream: Upstream) => boolean,
): Upstream | undefined {
  let best: Upstream | undefined;
  let least = Infinity;
  let alike = 0;
  for (const { upstream, share } of targets) {
    if (!suits(upstream)) continue;
    const load = share > 0 ? upstream.outstanding / share : Number.MAX_VALUE;
    if (load > least) continue;
    const chance = share || 1;
    alike = load < least ? chance : alike + chance;
    if (load < least || Math.random() * alike < chance) best = upstream;
    least = load;
  }
  return best;
}

/**
 * All endpoints that have been called. Versions and services that share an endpoint share its health. An
 * address with two certificate names counts as two endpoints.
 */
export class Upstreams {
  readonly #connectMilliseconds: number;
  readonly #now: () => number;
  readonly #byKey = new Map<string, Upstream>();
  readonly #known = new WeakMap<ServiceVersion, readonly Target[]>();
  #sweepAt = FIRST_SWEEP;

  constructor(connectMilliseconds: number, now: () => number) {
    this.#connectMilliseconds = connectMilliseconds;
    this.#now = now;
  }

  /** The endpoints of a version, cached while the registry returns the same version. */
  targetsOf(version: ServiceVersion): readonly Target[] {
    const known = this.#known.get(version);
    if (known !== undefined) return known;
    const { endpoints, shares } = version;
    const targets = endpoints.map((endpoint) => ({
      upstream: this.#of(endpoint),
      share: shares?.get(endpoint) ?? 1,
    }));
    this.#known.set(version, targets);
    return targets;
  }

  #of(endpoint: Endpoint): Upstream {
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

  /** Forgets addresses that come and go, such as those of pods. */
  #sweep(): void {
    for (const [key, upstream] of this.#byKey) {
      if (upstream.isUnused) this.#byKey.delete(key);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#byKey.size * 2);
  }
}
