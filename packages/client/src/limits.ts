import { BerthError, type CallInfo, checkNumber } from './errors.ts';

/** Options for one call. Unset options use the values of the client. */
export interface CallOptions extends LimitOptions {
  /** Aborts the call, even between two attempts. The call then rejects with the signal's `reason`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the call may be executed twice, and so be retried after any temporary failure. Default: `true` for GET and
   * HEAD, `false` for POST.
   */
  readonly idempotent?: boolean | undefined;
}

/** Options for a client, or for a single call. */
export interface LimitOptions {
  /**
   * How long a call may take in milliseconds, with its retries and, if the client reads it, its body. `0`: no limit.
   * Default: 120,000; for uploads and downloads no limit.
   */
  readonly timeout?: number | undefined;
  /** How to retry failed calls, or `false`. Credentials are always renewed. Default: `{ attempts: 3, delay: 250 }`. */
  readonly retry?: RetryOptions | false | undefined;
}

/**
 * How to retry failed calls. Waits are random, up to a limit that doubles with each retry, and at least as long as
 * the server's `Retry-After`. If that is longer than 30 s, or than the time that is left, the call fails at once.
 */
export interface RetryOptions {
  /** Number of attempts, including the first. Default: 3. */
  readonly attempts?: number | undefined;
  /** Maximum wait before the first retry, in milliseconds. Default: 250. No wait is longer than 8,000. */
  readonly delay?: number | undefined;
}

/** {@link LimitOptions} with a value for each. */
export interface Limits {
  /** `0`: no limit. */
  readonly timeout: number;
  readonly retry: { readonly attempts: number; readonly delay: number };
}

/** The time is slightly longer than the gateway may take for a call and its retry. */
const DEFAULTS: Limits = { timeout: 120_000, retry: { attempts: 3, delay: 250 } };

const MAX_DELAY = 8_000;

const MAX_RETRY_AFTER = 30_000;

/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/**
 * Completes the options of a call with those of the client.
 *
 * @throws BerthError of the kind `options`
 */
export function toLimits(options: LimitOptions, client = DEFAULTS): Limits {
  const { timeout = client.timeout, retry } = options;
  const callRetry = retry === false ? { attempts: 1 } : retry;
  const { attempts = client.retry.attempts, delay = client.retry.delay } = callRetry ?? {};
  checkNumber('timeout', timeout, 0);
  checkNumber('retry.attempts', attempts, 1);
  checkNumber('retry.delay', delay, 0);
  return { timeout, retry: { attempts, delay } };
}

/** What a call that has begun may still take. */
export interface CallBudget extends Pick<Limits, 'retry'> {
  /** Aborts when the time limit expires, or when the caller aborts. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds that are left. */
  left(): number;
  /** Number of attempts so far. */
  attempts: number;
}

/**
 * Runs a call within a time limit, even if its `fetch` ignores the signal. When it is over, only the caller can
 * still abort the body.
 *
 * @throws BerthError of the kind `timeout` or `options`, or the reason of the caller's signal
 */
export async function withBudget<T>(
  options: LimitOptions & { readonly signal?: AbortSignal | null | undefined },
  client: Limits,
  call: CallInfo,
  run: (budget: CallBudget) => Promise<T>,
): Promise<T> {
  const { timeout, retry } = toLimits(options, client);
  const { signal: caller } = options;
  caller?.throwIfAborted();
  const expiry = new AbortController();
  const signal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  const timer = timeout
    ? setTimeout(() => expiry.abort(), Math.min(timeout, MAX_TIMER))
    : undefined;
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  const budget = { signal, retry, left: () => end - performance.now(), attempts: 0 };
  try {
    return await untilAborted(run(budget), signal);
  } catch (error) {
    caller?.throwIfAborted();
    if (!expiry.signal.aborted) throw error;
    throw new BerthError('timeout', `No response within ${timeout} ms`, { call, retryable: true });
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    // A signal with a listener is kept in memory as long as the caller's signal.
    signal?.removeEventListener('abort', stop);
  }
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
  });
  await untilAborted(waiting, signal).finally(() => clearTimeout(timer));
}

/**
 * Returns the milliseconds until the next attempt, with full jitter, or `undefined` if there is none.
 *
 * @param headers those of the response to the last attempt
 */
export function delayAfter(budget: CallBudget, headers?: Headers): number | undefined {
  const { attempts, retry } = budget;
  if (attempts >= retry.attempts) return undefined;
  const minimum = toMilliseconds(headers);
  const random = Math.random() * Math.min(MAX_DELAY, retry.delay * 2 ** (attempts - 1));
  const delay = Math.max(random, minimum);
  return minimum <= MAX_RETRY_AFTER && delay < budget.left() ? delay : undefined;
}

/** Reads `Retry-After`: seconds, or a date by the clock of the server (RFC 9110, section 10.2.3). */
function toMilliseconds(headers: Headers | undefined): number {
  const value = headers?.get('Retry-After');
  if (!value) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const now = Date.parse(headers?.get('Date') ?? '') || Date.now();
  return Date.parse(value) - now || 0;
}
