/** Rounding error in milliseconds to tolerate, so that a caller that waited the given number of seconds is allowed. */
const ROUNDING = 1e-3;

/** The number of calls that an environment may make, as a token bucket. */
interface Quota {
  /** Milliseconds until another call is allowed. */
  readonly interval: number;
  /** Number of calls allowed in a burst. */
  readonly capacity: number;
  /** When the bucket will be full again. */
  fullAt: number;
}

type Environments = Readonly<
  Record<
    string,
    { readonly quota?: { callsPerSecond: number; burst?: number | undefined } | undefined }
  >
>;

interface Quotas {
  /**
   * Requests permission for one call.
   *
   * @returns undefined if the call is allowed, in which case it has been counted; otherwise how many full
   * seconds to wait, for the `Retry-After` of `EXCEED_RATELIMIT` (D6, D26)
   */
  take(env: string): number | undefined;
  /** Returns the quota of an environment, if it has one. */
  of(env: string): Pick<Quota, 'interval' | 'capacity'> | undefined;
  /** Replaces the quotas. What an environment has used still counts. */
  update(environments: Environments): void;
}

/** Creates quotas, which limit each environment's calls. The script of `create-shared.ts` counts in the same way. */
export function createQuotas(environments: Environments, now = () => performance.now()): Quotas {
  let quotas = new Map<string, Quota>();

  function update(next: Environments): void {
    const entries = Object.entries(next).flatMap(([env, { quota }]): [string, Quota][] => {
      if (quota === undefined) return [];
      const { callsPerSecond, burst = callsPerSecond } = quota;
      const interval = 1000 / callsPerSecond;
      const capacity = Math.max(burst, 1);
      const before = quotas.get(env);
      const used = before ? Math.max(before.fullAt - now(), 0) / before.interval : 0;
      return [[env, { interval, capacity, fullAt: now() + Math.min(used, capacity) * interval }]];
    });
    quotas = new Map(entries);
  }

  update(environments);
  return {
    update,
    of: (env) => quotas.get(env),
    take(env) {
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
