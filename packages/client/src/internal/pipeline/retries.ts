import { singleFlight } from '#single-flight';
import type { Hooks, RetryOptions, TryEvent } from '../../call-options.ts';
import { isStream } from '../to-body.ts';
import type { Deadline } from './deadline.ts';
import type { HeaderRecord, PipelineCall, Renewal, RetryClass, Signer } from './pipeline-call.ts';

/** Tolerated clock difference, since a response takes time to arrive. */
const CLOCK_TOLERANCE = 30_000;

/** The outcome of an attempt: a result, or how long to wait until the next one. */
type Outcome<T> =
  | { readonly result: T }
  | {
      readonly delay: number;
      readonly reason: Response | Error;
      readonly event: TryEvent | undefined;
    };

/** Makes attempts until one of them succeeds, and waits between them. */
export async function runTries<T>(
  deadline: Deadline,
  hooks: Hooks | undefined,
  tryOnce: (attempt: number) => Promise<Outcome<T>>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(attempt);
    if ('result' in outcome) return outcome.result;
    const { event, ...rest } = outcome;
    await deadline.pause(rest.delay, () => event && hooks?.onRetry?.({ ...event, ...rest }));
  }
}

interface FailedTry {
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
  /** Value of `renewal.mark()` before the attempt. */
  readonly mark: number;
  /** Response headers, if there was a response. */
  readonly response?: Headers | undefined;
  readonly headers?: HeaderRecord | undefined;
}

/**
 * Creates a function that decides whether a call gets another attempt: it returns the delay in milliseconds,
 * or `undefined` if the call is not retried. A stream is never sent again. A call that was rejected because
 * of its credentials is retried once.
 */
export function createRetryPolicy(
  { method, headers: own, body, idempotent = method !== 'POST' }: PipelineCall,
  retry: RetryOptions | false,
  deadline: Deadline,
  renewal: Renewal,
) {
  let renewals = 0;
  return async (
    retryClass: RetryClass,
    { attempt, mark, response, headers }: FailedTry,
  ): Promise<number | undefined> => {
    if (retryClass === 'unauthorized') {
      if (renewals) return undefined;
      renewals = 1;
      // Credentials that come with the call cannot be renewed.
      const isNew = await renewal.renew(mark, response, own.authorization ? undefined : headers);
      // Renew even if the call was a stream, so that the next call works.
      return isNew && !isStream(body) ? 0 : undefined;
    }
    const isAllowed = retryClass === 'any' || (idempotent && retryClass === 'idempotent');
    if (!isAllowed || isStream(body)) return undefined;
    return retryDelay(retry, attempt - renewals, response, deadline.left());
  };
}

/**
 * Creates the object that renews credentials for all calls of a client. Only one refresh runs at a time, and
 * waiting calls share its result. If a call is rejected and the response did not come from a cache, the clock
 * is adjusted to the response's `Date` header (RFC 9110, section 6.6.1; D18).
 */
export function createRenewal(signer: Signer | undefined): Renewal {
  let skew = 0;
  let count = 0;
  const refresh = signer?.refresh && singleFlight(signer.refresh);
  const now = () => Date.now() + skew;
  return {
    now,
    mark: () => count,
    async renew(mark, response, refused) {
      if (mark !== count) return true;
      const off = Date.parse(response?.get('Date') ?? '') - now();
      if (Math.abs(off) > CLOCK_TOLERANCE) {
        skew += off;
        count += 1;
      }
      if (refused && (await refresh?.(refused)) && mark === count) count += 1;
      return mark !== count;
    },
  };
}

/**
 * Returns the milliseconds until the next attempt. The delay grows exponentially, with full jitter, and is at
 * least the response's `Retry-After`, which is in seconds or a date (RFC 9110, section 10.2.3). Returns
 * `undefined` if there is no next attempt, because no attempts are left or because the server asks for a
 * longer wait than the options or the remaining time allow.
 *
 * @param attempt number of the failed attempt, starting at 1
 * @param left remaining time of the call, in milliseconds
 */
export function retryDelay(
  retry: RetryOptions | false,
  attempt: number,
  headers?: Pick<Headers, 'get'>,
  left = Number.POSITIVE_INFINITY,
): number | undefined {
  if (!retry) return undefined;
  const { attempts = 3, baseDelay = 250, maxDelay = 8_000, maxRetryAfter = 30_000 } = retry;
  const asked = toMilliseconds(headers);
  if (attempt >= attempts || asked > maxRetryAfter) return undefined;
  const span = Math.min(maxDelay, baseDelay * 2 ** (attempt - 1));
  const delay = Math.max(Math.random() * span, asked);
  return delay < left ? delay : undefined;
}

function toMilliseconds(headers: Pick<Headers, 'get'> | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // A date refers to the server's clock, so count the wait from the response's `Date`.
  const from = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - from || 0;
}
