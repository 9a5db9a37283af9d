import { type CallOptions, type Limits, toLimits } from './call-options.ts';
import { BerthError, type CallInfo, isBerthError } from './errors.ts';
import type { Retry } from './retry-rules.ts';
import { isStream } from './streams.ts';

// What is repeated. `takeRetry` counts retries. The last three rows are not retries and are not counted.
//
// | Loop                 | Repeats                         | After                          | Limit                   |
// | -------------------- | ------------------------------- | ------------------------------ | ----------------------- |
// | `send` in `fetch.ts` | a request                       | no response, a temporary error | the call's budget       |
// | `call` in `calls.ts` | all steps of a call             | an interruption, a failed call | the call's budget       |
// | `upload`             | a grant and its form            | a temporary error of the form  | the upload's budget     |
// | `readToEnd`          | a link and the rest of its file | an interruption                | reset when bytes arrive |
// | `send` in `fetch.ts` | a request, newly signed         | a 401                          | once per call           |
// | `connectSocket`      | a handshake, newly signed       | a failed handshake             | once per call           |
// | `iterateEvents`      | a connection                    | its end                        | none                    |
//
// Within a transfer, the storage call for each grant or link has its own budget.

/** The time and the retries that are left for a call, or for all forms or links of a transfer together. */
export interface CallBudget {
  /** Aborts when the time limit expires, or when the caller aborts. */
  readonly signal: AbortSignal;
  hasRetry(): boolean;
  /** Counts a retry, and returns the milliseconds until it, with full jitter, or `undefined` if there is none. */
  takeRetry(retry: Retry | 'renew', headers?: Headers): number | undefined;
  /** Waits for a retry, or throws the error if it is not temporary or there is no retry left. */
  waitForRetry(error: unknown, headers?: Headers): Promise<void>;
  /** Allows all retries again. */
  resetRetries(): void;
}

/**
 * Runs a call, or all calls of a transfer, within a time limit, even if `fetch` ignores the signal. After it
 * returns, only the caller's signal can abort the body.
 *
 * @param options `summary` starts the message of a timeout. Default: `The call`
 * @param info the call; `undefined` for a transfer, which makes several
 */
export async function withBudget<T>(
  options: CallOptions & { readonly body?: unknown; readonly summary?: string },
  defaults: Limits,
  info: CallInfo | undefined,
  run: (budget: CallBudget) => Promise<T>,
): Promise<T> {
  const limits = toLimits(options, defaults);
  const { timeout } = limits;
  const { summary = 'The call' } = options;
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
    // Drop internal frames, so that the caller's line is among the stack's 10.
    if (error instanceof BerthError) Error.captureStackTrace?.(error, withBudget);
    if (!expiry.signal.aborted) throw error;
    const message = `${summary} timed out after ${timeout} ms`;
    throw new BerthError('timeout', message, { info, retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

const MAX_RANDOM_WAIT = 8_000;
const MAX_RETRY_AFTER = 30_000;

function createBudget(limits: Limits, signal: AbortSignal, isIdempotent: boolean): CallBudget {
  const { timeout, attempts, delay } = limits;
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  let retries = 0;

  const hasRetry = () => retries + 1 < attempts;

  const takeRetry: CallBudget['takeRetry'] = (retry, headers) => {
    const isAllowed = retry === 'any' || (retry === 'idempotent' && isIdempotent);
    if (!isAllowed || !hasRetry()) return undefined;
    const random = Math.random() * Math.min(MAX_RANDOM_WAIT, delay * 2 ** retries);
    const wait = Math.max(random, readRetryAfter(headers));
    if (wait > MAX_RETRY_AFTER || wait >= end - performance.now()) return undefined;
    retries += 1;
    return wait;
  };

  return {
    signal,
    hasRetry,
    takeRetry,
    async waitForRetry(error, headers) {
      const isTemporary = isBerthError(error) && error.retryable;
      const wait = takeRetry(isTemporary ? 'idempotent' : 'never', headers);
      if (wait === undefined) throw error;
      await pause(wait, signal);
    },
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

/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    // A signal with a listener is kept in memory as long as the caller's signal.
    promise.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject);
  });
}

/** @param ms at most `MAX_TIMER` */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}
