/** Rounding error to tolerate, so that a caller that waited the given seconds is allowed. */
const ROUNDING = 1e-6;

/**
 * Limits the calls of each environment by a token bucket. Environments without a quota have no limit and
 * cost no memory.
 *
 * @throws RangeError for an invalid quota; the old ones stay
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
        `The quota of ${env} must allow calls: callsPerSecond and burst must be more than 0.`,
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

/** How many calls an environment may make. */
export interface Quota {
  /** Sustained calls per second; more than 0, may be a fraction. */
  readonly callsPerSecond: number;
  /** Calls allowed in a burst, 1 or more. Default: those of one second. */
  readonly burst?: number | undefined;
}

interface QuotasOptions {
  /** Milliseconds from any fixed point. Default: `performance.now`. */
  readonly now?: () => number;
}

interface Quotas {
  /**
   * Asks for one call.
   *
   * @returns undefined if it is allowed, and has been counted; otherwise the full seconds to wait, for
   * the `Retry-After` of `EXCEED_RATELIMIT` (D6, D26)
   */
  take(env: string): number | undefined;
  /** Replaces the quotas. An environment whose quota does not change keeps what it has used of it. */
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
