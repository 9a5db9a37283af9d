import type { Config, Quota } from './config/config.ts';
import type { RedisState } from './redis.ts';

/** A fixed window, which begins with its first call. */
interface Window {
  readonly quota: Quota;
  calls: number;
  endsAt: number;
}

export type Quotas = ReturnType<typeof createQuotas>;

/**
 * Counts the calls of each environment in fixed windows, so twice the quota is possible around the end of one. With
 * Redis, all processes count together; while it is not available, each counts by itself.
 */
export function createQuotas(initial: Config, redis: RedisState | undefined) {
  let windows = toWindows(initial, new Map());
  return {
    /** Replaces the quotas. The calls that a window has counted still count. */
    update(next: Config): void {
      windows = toWindows(next, windows);
    },
    /** Counts a call, or returns how many full seconds to wait. Returns a promise only if it has to ask Redis. */
    count(env: string): Promise<number | undefined> | number | undefined {
      const window = windows.get(env);
      if (window === undefined) return undefined;
      if (redis === undefined) return countLocally(window);
      return redis.countCall(env, window.quota).catch(() => countLocally(window));
    },
  };
}

function toWindows({ environments }: Config, previous: ReadonlyMap<string, Window>) {
  const windows = new Map<string, Window>();
  for (const [env, { quota }] of Object.entries(environments)) {
    if (quota === undefined) continue;
    const { calls = 0, endsAt = 0 } = previous.get(env) ?? {};
    const latestEnd = performance.now() + quota.seconds * 1000;
    windows.set(env, { quota, calls, endsAt: Math.min(endsAt, latestEnd) });
  }
  return windows;
}

function countLocally(window: Window): number | undefined {
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
