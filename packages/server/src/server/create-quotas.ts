/** Rounding error to tolerate, so that a caller that waited the given number of seconds is allowed. */
const ROUNDING = 1e-6;

/**
 * Creates quotas, which limit each environment's calls with a token bucket. Environments without a quota are
 * unlimited and use no memory.
 *
 * @throws RangeError for an invalid quota; the old quotas stay in use
 * @example
 * const quotas = createQuotas([['dev', { callsPerSecond: 50, burst: 100 }]]);
 * const seconds = quotas.take('dev');
 * if (seconds !== undefined) throw new GatewayError('EXCEED_RATELIMIT', { retryAfter: seconds });
 */
export function createQuotas(
  quotas: Iterable<readonly [env: string, quota: Quota]>,
  { now = () => performance.now() }: QuotasOptions = {},
): Quotas {
  let buckets = new Map<string, Bucket>();

  const toBucket = (env: string, { callsPerSecond, burst = callsPerSecond }: Quota): Bucket => {
    if (!(callsPerSecond > 0 && burst > 0 && Number.isFinite(callsPerSecond + burst))) {
      throw new RangeError(
        `The quota for ${env} must allow calls: callsPerSecond and burst must be greater than 0.`,
      );
    }
    const perMs = callsPerSecond / 1_000;
    const capacity = Math.max(burst, 1);
    const previous = buckets.get(env);
    if (previous === undefined) return { perMs, capacity, tokens: capacity, filledAt: now() };
    fill(previous, now());
    return { ...previous, perMs, capacity, tokens: Math.min(previous.tokens, capacity) };
  };

  const update: Quotas['update'] = (next) => {
    buckets = new Map(Array.from(next, ([env, quota]) => [env, toBucket(env, quota)]));
  };

  update(quotas);
  return {
    update,
    of: (env) => buckets.get(env),
    take(env) {
      const bucket = buckets.get(env);
      if (bucket === undefined) return undefined;
      fill(bucket, now());
      if (bucket.tokens >= 1 - ROUNDING) {
        bucket.tokens -= 1;
        return undefined;
      }
      const seconds = (1 - bucket.tokens) / bucket.perMs / 1_000;
      return Math.max(Math.ceil(seconds - ROUNDING), 1);
    },
  };
}

/** The number of calls that an environment may make. */
export interface Quota {
  /** Sustained rate in calls per second; greater than 0, may be a fraction. */
  readonly callsPerSecond: number;
  /** Number of calls allowed in a burst, 1 or more. Default: one second's worth. */
  readonly burst?: number | undefined;
}

interface QuotasOptions {
  /** Returns milliseconds since any fixed point. Default: `performance.now`. */
  readonly now?: () => number;
}

interface Quotas {
  /**
   * Requests permission for one call.
   *
   * @returns undefined if the call is allowed, in which case it has been counted; otherwise how many full
   * seconds to wait, for the `Retry-After` of `EXCEED_RATELIMIT` (D6, D26)
   */
  take(env: string): number | undefined;
  /** Returns the quota of an environment, if it has one. */
  of(env: string): { readonly perMs: number; readonly capacity: number } | undefined;
  /** Replaces the quotas. If an environment's quota does not change, its usage is kept. */
  update(quotas: Iterable<readonly [env: string, quota: Quota]>): void;
}

interface Bucket {
  perMs: number;
  capacity: number;
  tokens: number;
  filledAt: number;
}

function fill(bucket: Bucket, time: number): void {
  if (time <= bucket.filledAt) return;
  const earned = (time - bucket.filledAt) * bucket.perMs;
  bucket.tokens = Math.min(bucket.tokens + earned, bucket.capacity);
  bucket.filledAt = time;
}
