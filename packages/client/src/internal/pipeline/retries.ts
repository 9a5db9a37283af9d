import { singleFlight } from '#single-flight';
import type { Hooks, RetryOptions, TryEvent } from '../../call-options.ts';
import { isStream } from '../to-body.ts';
import type { Deadline } from './deadline.ts';
import type { HeaderRecord, PipelineCall, Renewal, Signer, Verdict } from './pipeline-call.ts';

/** A clock that is off by less is taken for right: the time that an answer travels is in it. */
const CLOCK_TOLERANCE = 30_000;

/** What a try gives: a result, or the wait until the next try. */
type Outcome<T> =
  | { readonly result: T }
  | {
      readonly delay: number;
      readonly reason: Response | Error;
      readonly event: TryEvent | undefined;
    };

/** Runs a try after the other, with waits between them, until one gives a result. */
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

/** A try that failed. */
interface FailedTry {
  /** Its number, from 1. */
  readonly attempt: number;
  /** What `renewal.mark()` gave before it. */
  readonly mark: number;
  /** Headers of its response; none came without. */
  readonly response?: Headers | undefined;
  /** Headers that were sent. */
  readonly headers?: HeaderRecord | undefined;
}

/**
 * Decides on the next try of a call: milliseconds until then, or `undefined` if there is none. A body
 * stream is never sent again; a call that was refused for its credentials is repeated once.
 */
export function createRetryPolicy(
  { method, headers: own, body, idempotent = method !== 'POST' }: PipelineCall,
  retry: RetryOptions | false,
  deadline: Deadline,
  renewal: Renewal,
) {
  let renewals = 0;
  return async (
    verdict: Verdict,
    { attempt, mark, response, headers }: FailedTry,
  ): Promise<number | undefined> => {
    if (verdict === 'unauthorized') {
      if (renewals) return undefined;
      renewals = 1;
      // What the call brings itself cannot be renewed.
      const isNew = await renewal.renew(mark, response, own.authorization ? undefined : headers);
      // Also after a stream, so that the next call works.
      return isNew && !isStream(body) ? 0 : undefined;
    }
    const isAllowed = verdict === 'any' || (idempotent && verdict === 'idempotent');
    if (!isAllowed || isStream(body)) return undefined;
    return retryDelay(retry, attempt - renewals, response, deadline.left());
  };
}

/**
 * Renews for all calls of a client: one refresh at a time however many calls wait for it, and the
 * clock by the `Date` of a refusal (RFC 9110, section 6.6.1; D18), which no cache has kept.
 */
export function createRenewal(signer: Signer | undefined): Renewal {
  let skew = 0;
  let count = 0;
  const refresh = signer?.refresh && singleFlight(signer.refresh);
  const now = () => Date.now() + skew;
  return {
    now,
    mark: () => count,
    async renew(mark, answer, refused) {
      if (mark !== count) return true;
      const off = Date.parse(answer?.get('Date') ?? '') - now();
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
 * Milliseconds until the next try: a random part of a span that doubles each time ("full jitter"),
 * but no less than the `Retry-After` of the answer, in seconds or as a date (RFC 9110, section
 * 10.2.3). Gives `undefined` if there is no further try: they are used up, the server asks for more
 * than is allowed, or less is left.
 *
 * @param attempt number of the try that failed, from 1
 * @param left milliseconds until the call ends
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
  // A date is of the server's clock, and so is what it is counted from.
  const from = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - from || 0;
}
