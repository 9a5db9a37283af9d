import type { Config, Quota } from './config/config.ts';
import type { RedisState } from './redis.ts';

/** A fixed window, which begins with its first call. */
interface Window {
  readonly quota: Quota;
  calls: number;
  endsAt: number;
}

/**
 * Counts the calls of each environment in fixed windows, so twice the quota is possible around the end of one. With
 * Redis, all processes count together; while it is not available, each counts by itself.
 */
export class Quotas {
  readonly #redis: RedisState | undefined;
  #windows = new Map<string, Window>();

  constructor(config: Config, redis: RedisState | undefined) {
    this.#redis = redis;
    this.update(config);
  }

  /** Replaces the quotas. The calls that a window has counted still count. */
  update({ environments }: Config): void {
    const windows = new Map<string, Window>();
    for (const [env, { quota }] of Object.entries(environments)) {
      if (quota === undefined) continue;
      const { calls = 0, endsAt = 0 } = this.#windows.get(env) ?? {};
      const latestEnd = performance.now() + quota.seconds * 1000;
      windows.set(env, { quota, calls, endsAt: Math.min(endsAt, latestEnd) });
    }
    this.#windows = windows;
  }

  /** Counts a call, or returns how many full seconds to wait. Returns a promise only if it has to ask Redis. */
  count(env: string): Promise<number | undefined> | number | undefined {
    const window = this.#windows.get(env);
    if (window === undefined) return undefined;
    if (this.#redis === undefined) return countHere(window);
    return this.#redis.countCall(env, window.quota).catch(() => countHere(window));
  }
}

function countHere(window: Window): number | undefined {
  const { quota } = window;
  const now = performance.now();
  if (now >= window.endsAt) {
    window.calls = 0;
    window.endsAt = now + quota.seconds * 1000;
  }
  if (window.calls >= quota.calls) return Math.ceil((window.endsAt - now) / 1000);
  window.calls += 1;
  return undefined;
}
