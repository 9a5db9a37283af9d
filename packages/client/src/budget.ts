import { type CallOptions, type Limits, toLimits } from './call-options.ts';
import { BerthError, type CallInfo, isBerthError } from './errors.ts';
import { isStream } from './streams.ts';
import { MAX_TIMER, pause, untilAborted } from './timers.ts';

// All retry loops:
//
// | Loop                      | Retries                           | After                                             | Limit                         |
// | ------------------------- | --------------------------------- | ------------------------------------------------- | ----------------------------- |
// | `send` in `fetch.ts`      | a request                         | no response, or a temporary failure               | budget of the call            |
// | `call` in `calls.ts`      | all steps of a call               | an interrupted body, or a failure that it reports | the same budget               |
// | `upload` (`transfer/`)    | a grant and its form              | a temporary failure of the form                   | budget of the upload          |
// | `readToEnd` (`transfer/`) | a link and the rest of its file   | an interruption                                   | budget, refilled by each byte |
// | `send` in `fetch.ts`      | a request, with new credentials   | a 401                                             | once a call                   |
// | `connectSocket`           | a handshake, with new credentials | a failed handshake                                | once a call                   |
// | `iterateEvents`           | a connection                      | its end                                           | none                          |
//
// Within a transfer, the storage call for each grant or link has a budget of its own.

/**
 * Which calls may be retried after a failure:
 * - `any`: every call, because the server did not execute it
 * - `idempotent`: only an idempotent call
 * - `never`: none
 * - `renew`: every call, with new credentials
 */
export type Retry = 'renew' | 'any' | 'idempotent' | 'never';

/** Statuses of temporary failures. A 500 is temporary for storage, but final if a hosted service sent it. */
export const TEMPORARY_STATUSES = [429, 502, 503, 504];

/** The time and the retries that are left for a call, or for all forms or links of a transfer together. */
export type CallBudget = ReturnType<typeof createBudget>;

/**
 * Runs a call, or all calls of a transfer, within a time limit, even if `fetch` ignores the signal. After it
 * returns, only the caller's signal can abort the body.
 *
 * @param subject the call, or the start of the error message of a transfer
 */
export async function withBudget<T>(
  options: CallOptions & { readonly body?: unknown },
  defaults: Limits,
  subject: CallInfo | string,
  run: (budget: CallBudget) => Promise<T>,
): Promise<T> {
  const limits = toLimits(options, defaults);
  const { timeout } = limits;
  const info = typeof subject === 'string' ? undefined : subject;
  // Transfers are idempotent too: if a file was stored after all, the same bytes replace it.
  const { signal: caller, idempotent = /^(GET|HEAD)$/.test(info?.method ?? 'GET') } = options;
  caller?.throwIfAborted();
  const expiry = new AbortController();
  const signal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  const timer = timeout && setTimeout(() => expiry.abort(), Math.min(timeout, MAX_TIMER));
  try {
    // A stream cannot be sent twice.
    const budget = createBudget(limits, signal, idempotent && !isStream(options.body));
    return await untilAborted(run(budget), signal);
  } catch (error) {
    caller?.throwIfAborted();
    // Lets the error show the line of its caller: a stack has 10 frames, and there are more below a method.
    if (error instanceof BerthError) Error.captureStackTrace?.(error, withBudget);
    if (!expiry.signal.aborted) throw error;
    const summary = info ? 'The call' : `${subject}:`;
    const message = `${summary} timed out after ${timeout} ms`;
    throw new BerthError('timeout', message, { info, retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

const MAX_RANDOM_WAIT = 8_000;
const MAX_RETRY_AFTER = 30_000;

function createBudget(limits: Limits, signal: AbortSignal, isIdempotent: boolean) {
  const { timeout, attempts, delay } = limits;
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  let retries = 0;
  const hasRetry = () => retries + 1 < attempts;

  /** Counts a retry, and returns the milliseconds until it, with full jitter, or `undefined` if there is none. */
  const takeRetry = (retry: Retry, headers?: Headers) => {
    const isAllowed = retry === 'any' || (retry === 'idempotent' && isIdempotent);
    if (!isAllowed || !hasRetry()) return undefined;
    const random = Math.random() * Math.min(MAX_RANDOM_WAIT, delay * 2 ** retries);
    const wait = Math.max(random, readRetryAfter(headers));
    if (wait > MAX_RETRY_AFTER || wait >= end - performance.now()) return undefined;
    retries += 1;
    return wait;
  };

  return {
    /** Aborts when the time limit expires, or when the caller aborts. */
    signal,
    hasRetry,
    takeRetry,
    /** Waits for a retry, or throws the error if it is not temporary or there is no retry left. */
    async waitForRetry(error: unknown, headers?: Headers) {
      const isTemporary = isBerthError(error) && error.retryable;
      const wait = takeRetry(isTemporary ? 'idempotent' : 'never', headers);
      if (wait === undefined) throw error;
      await pause(wait, signal);
    },
    /** Allows all retries again. */
    resetRetries() {
      retries = 0;
    },
  };
}

/** Reads `Retry-After` as milliseconds: it has seconds, or a date by the server's clock (RFC 9110, section 10.2.3). */
function readRetryAfter(headers?: Headers): number {
  const value = headers?.get('Retry-After') ?? '0';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Date.parse(value) - (Date.parse(headers?.get('Date') ?? '') || Date.now()) || 0;
}
