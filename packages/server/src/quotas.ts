import type { EnvironmentConfig } from './config/config.ts';

/** Rounding error in milliseconds to tolerate, so that a caller that waited the given number of seconds is allowed. */
const ROUNDING = 1e-3;

interface Quota {
  readonly interval: number;
  readonly capacity: number;
  fullAt: number;
}

type Environments = Readonly<Record<string, Pick<EnvironmentConfig, 'quota'>>>;

/** Creates quotas, which limit each environment's calls. The script of `create-shared.ts` counts in the same way. */
export function createQuotas(environments: Environments, now = () => performance.now()) {
  let quotas = new Map<string, Quota>();

  function update(next: Environments): void {
    const entries = Object.entries(next).flatMap(([env, { quota }]): [string, Quota][] => {
      if (quota === undefined) return [];
      const { calls: capacity, seconds } = quota;
      const interval = (seconds * 1000) / capacity;
      const before = quotas.get(env);
      const used = before ? Math.max(before.fullAt - now(), 0) / before.interval : 0;
      return [[env, { interval, capacity, fullAt: now() + Math.min(used, capacity) * interval }]];
    });
    quotas = new Map(entries);
  }

  update(environments);
  return {
    update,
    of: (env: string) => quotas.get(env),
    /** Counts a call, or returns how many full seconds to wait, for `Retry-After` (D6, D26). */
    take(env: string): number | undefined {
      const quota = quotas.get(env);
      if (quota === undefined) return undefined;
      const time = now();
      const most = quota.interval * quota.capacity;
      const fullAt = Math.min(Math.max(quota.fullAt, time), time + most) + quota.interval;
      const wait = fullAt - time - most;
      if (wait > ROUNDING) return Math.max(Math.ceil((wait - ROUNDING) / 1000), 1);
      quota.fullAt = fullAt;
      return undefined;
    },
  };
}
