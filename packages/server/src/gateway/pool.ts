import type { ServerResponse } from 'node:http';
import { GatewayError } from '@berth/server-stubs';
import type { Endpoint, Service, ServiceVersion } from './registry/service-registry.ts';
import { gone } from './service-body.ts';
import { Upstream } from './upstream.ts';

/** Number of endpoints that triggers the first sweep; each later sweep is triggered when it has doubled. */
const FIRST_SWEEP = 64;

const CONNECT_SECONDS = 5;

/** How long the endpoints of a version are checked after its last call. */
const CHECKED_MILLISECONDS = 60_000;

interface Target {
  readonly upstream: Upstream;
  /** Weight relative to the other endpoints. Endpoints with 0 are called only if no other can be. */
  readonly share: number;
}

type Limits = Pick<Service, 'perEndpoint' | 'health'>;

/** The endpoints of a version, and the calls that wait for one of them. */
export class Pool {
  readonly targets: readonly Target[];
  readonly #maxCalls: number;
  readonly #limits: Limits;
  readonly #upstreams: Upstreams;
  readonly #waiting = new Set<(upstream: Upstream) => void>();
  #checks: NodeJS.Timeout | undefined;
  #usedAt = 0;

  constructor(targets: readonly Target[], limits: Limits, upstreams: Upstreams) {
    this.targets = targets;
    this.#limits = limits;
    this.#upstreams = upstreams;
    this.#maxCalls = limits.perEndpoint?.maxCalls ?? Infinity;
  }

  /**
   * Returns the healthy endpoint with the fewest calls in flight relative to its weight, or `undefined` if none
   * can be called. Ties are broken at random, by weight.
   * @param failed the endpoint of a failed first attempt, which is chosen only if there is no other one
   */
  choose(failed?: Upstream): Upstream | undefined {
    const best = this.#pick('isUsable', failed);
    if (best !== undefined) return best;
    // Rather wait for a healthy endpoint than call an ejected one.
    const isFull = this.targets.some(({ upstream }) => upstream.health.isUsable);
    return isFull ? undefined : this.#pick('isLastResort', failed);
  }

  /** Begins a call to the endpoint that `choose` returns. */
  take(): Upstream | undefined {
    if (this.#limits.health !== undefined) this.#keepChecked(this.#limits.health);
    const upstream = this.choose();
    upstream?.begin();
    return upstream;
  }

  /**
   * Begins a call when an endpoint has less than the maximum number of calls.
   * @returns undefined if no endpoint can be called, even without the maximum
   * @throws GatewayError EXCEED_RATELIMIT if too many calls wait, or this one waits for too long
   */
  async wait(response: ServerResponse): Promise<Upstream | undefined> {
    const { perEndpoint } = this.#limits;
    const isOpen = ({ upstream: { health } }: Target) => health.isUsable || health.isLastResort;
    if (perEndpoint === undefined || !this.targets.some(isOpen)) return undefined;
    if (this.#waiting.size >= perEndpoint.maxQueue) throw new GatewayError('EXCEED_RATELIMIT');
    const { promise, resolve, reject } = Promise.withResolvers<Upstream>();
    const leave = () => {
      this.#waiting.delete(resolve);
      reject(response.destroyed ? gone() : new GatewayError('EXCEED_RATELIMIT'));
    };
    const timer = setTimeout(leave, perEndpoint.queueSeconds * 1000);
    response.once('close', leave);
    this.#waiting.add(resolve);
    this.#upstreams.waiting += 1;
    for (const { upstream } of this.targets) upstream.onEnd.add(this.#serve);
    try {
      return await promise;
    } finally {
      this.#upstreams.waiting -= 1;
      clearTimeout(timer);
      response.off('close', leave);
    }
  }

  /** Gives the endpoints that are free to the calls that wait, in order. */
  readonly #serve = (): void => {
    for (const resolve of this.#waiting) {
      const upstream = this.take();
      if (upstream === undefined) return;
      this.#waiting.delete(resolve);
      resolve(upstream);
    }
    for (const { upstream } of this.targets) upstream.onEnd.delete(this.#serve);
  };

  /** Checks the endpoints for as long as the version is called. */
  #keepChecked({ path, everySeconds }: NonNullable<Limits['health']>): void {
    this.#usedAt = performance.now();
    if (this.#checks !== undefined) return;
    const milliseconds = everySeconds * 1000;
    const check = () => {
      if (performance.now() - this.#usedAt > CHECKED_MILLISECONDS) this.close();
      else for (const { upstream } of this.targets) void upstream.check(path, milliseconds);
    };
    this.#checks = setInterval(check, milliseconds).unref();
    this.#upstreams.checked.add(this);
    check();
  }

  close(): void {
    clearInterval(this.#checks);
    this.#checks = undefined;
    this.#upstreams.checked.delete(this);
  }

  #pick(suits: 'isUsable' | 'isLastResort', failed?: Upstream): Upstream | undefined {
    let best: Upstream | undefined;
    let least = Infinity;
    let alike = 0;
    for (const { upstream, share } of this.targets) {
      const isFull = upstream.outstanding >= this.#maxCalls;
      if (upstream === failed || isFull || !upstream.health[suits]) continue;
      const load = share > 0 ? upstream.outstanding / share : Number.MAX_VALUE;
      if (load > least) continue;
      const chance = share || 1;
      alike = load < least ? chance : alike + chance;
      if (load < least || Math.random() * alike < chance) best = upstream;
      least = load;
    }
    if (best !== undefined || !failed?.health[suits]) return best;
    return failed.outstanding < this.#maxCalls ? failed : undefined;
  }
}

/**
 * All endpoints that have been called. Versions and services that share an endpoint share its health. An
 * address with two names, or two connection timeouts, counts as two endpoints.
 */
export class Upstreams {
  readonly checked = new Set<Pool>();
  waiting = 0;
  readonly #now: () => number;
  readonly #maxHeaderBytes: number;
  readonly #byKey = new Map<string, Upstream>();
  readonly #known = new WeakMap<ServiceVersion, Pool>();
  #sweepAt = FIRST_SWEEP;

  constructor(now: () => number, maxHeaderBytes: number) {
    this.#now = now;
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /** The endpoints of a version, cached while the registry returns the same version. */
  poolOf(version: ServiceVersion, service: Service): Pool {
    const known = this.#known.get(version);
    if (known !== undefined) return known;
    const { endpoints, shares } = version;
    const { connectSeconds = CONNECT_SECONDS } = service.timeouts ?? {};
    const targets = endpoints.map((endpoint) => ({
      upstream: this.#of(endpoint, connectSeconds * 1000),
      share: shares?.get(endpoint) ?? 1,
    }));
    const pool = new Pool(targets, service, this);
    this.#known.set(version, pool);
    return pool;
  }

  /** Closes idle connections, and ends all checks. */
  close(): void {
    for (const pool of this.checked) pool.close();
    for (const upstream of this.#byKey.values()) upstream.close();
  }

  #of(endpoint: Endpoint, connectMilliseconds: number): Upstream {
    const key = `${endpoint.origin} ${endpoint.servername ?? ''} ${connectMilliseconds}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    if (this.#byKey.size >= this.#sweepAt) this.#sweep();
    const upstream = new Upstream(endpoint, connectMilliseconds, this.#now, this.#maxHeaderBytes);
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
