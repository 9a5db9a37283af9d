import { checkNumber, invalid } from './checks.ts';
import { BerthError, type CallInfo, isBerthError } from './errors.ts';

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

/** Options for a call of a hosted service. */
export interface ServiceOptions extends CallOptions {
  /** Headers to send. An `Authorization` header replaces the credentials of the client. */
  readonly headers?: RequestInit['headers'];
}

/** Options for a storage call. The client knows which operations are idempotent. */
export type StorageCallOptions = Omit<CallOptions, 'idempotent'>;

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
  /** Number of attempts, including the first, from 1 to 10. Default: 3. */
  readonly attempts?: number | undefined;
  /** Maximum wait before the first retry, in milliseconds. Default: 250. No wait is longer than 8,000. */
  readonly delay?: number | undefined;
}

/** {@link LimitOptions} with a value for each. Without a time limit, `timeout` is 0. */
export type Limits = Readonly<Record<'timeout' | 'attempts' | 'delay', number>>;

/** `timeout` is slightly longer than the gateway's own limit for a call and its retry. */
const DEFAULTS: Limits = { timeout: 120_000, attempts: 3, delay: 250 };

/** What may be sent again: `any` call (not executed), any after a `renew` of credentials, `idempotent` calls, or none. */
export type Retry = 'renew' | 'any' | 'idempotent' | 'never';

/** Returns which calls may be sent again after a status, if there is no known code. */
export function toRetry(status: number): Retry {
  if (status === 429) return 'any';
  return [500, 502, 503, 504].includes(status) ? 'idempotent' : 'never';
}

const MAX_RETRY_DELAY = 8_000;
const MAX_RETRY_AFTER = 30_000;

/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Fills in a call's options from the client's defaults. */
export function toLimits(options: LimitOptions, defaults = DEFAULTS): Limits {
  const { timeout = defaults.timeout, retry = {} } = options;
  const { attempts = defaults.attempts, delay = defaults.delay } = retry || { attempts: 1 };
  checkNumber('timeout', timeout, 0);
  checkNumber('retry.attempts', attempts, 1, 'an integer');
  if (attempts > 10) throw invalid('retry.attempts', 'at most 10', attempts);
  checkNumber('retry.delay', delay, 0);
  return { timeout, attempts, delay };
}

/** The limits of a call, and how much of them has been used. */
export interface CallBudget extends Limits {
  /** Aborts when the time limit expires, or when the caller aborts. */
  readonly signal: AbortSignal;
  /** When the time limit expires, by `performance.now()`. */
  readonly end: number;
  readonly isIdempotent: boolean;
  /** Number of retries so far. `takeRetry` counts them; a download to a file starts again when bytes arrive. */
  retries: number;
}

/**
 * Runs a call, or all calls of a transfer, within a time limit, even if `fetch` ignores the signal. When it is over,
 * only the caller can still abort the body.
 *
 * @param subject the call, or the start of the error message of a transfer
 */
export async function withBudget<T>(
  options: CallOptions,
  defaults: Limits,
  subject: CallInfo | string,
  run: (budget: CallBudget) => Promise<T>,
): Promise<T> {
  const limits = toLimits(options, defaults);
  const { timeout } = limits;
  const info = typeof subject === 'string' ? undefined : subject;
  const isSafe = info !== undefined && /^(GET|HEAD)$/.test(info.method ?? 'GET');
  const { signal: caller, idempotent = isSafe } = options;
  caller?.throwIfAborted();
  const expiry = new AbortController();
  const signal = caller ? AbortSignal.any([caller, expiry.signal]) : expiry.signal;
  const timer = timeout && setTimeout(() => expiry.abort(), Math.min(timeout, MAX_TIMER));
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  try {
    const budget = { ...limits, signal, end, isIdempotent: idempotent, retries: 0 };
    return await untilAborted(run(budget), signal);
  } catch (error) {
    caller?.throwIfAborted();
    if (!expiry.signal.aborted) throw error;
    const summary = info ? 'The call' : `${subject}:`;
    const details = { info, retryable: true };
    throw new BerthError('timeout', `${summary} timed out after ${timeout} ms`, details);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export async function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal?.reason);
  });
  signal?.addEventListener('abort', stop);
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
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}

/** Waits for the next attempt, or throws the error if it is not temporary or there is no other attempt. */
export async function waitForRetry(
  error: unknown,
  canRepeat: boolean,
  budget: CallBudget,
  headers?: Headers,
): Promise<void> {
  const canRetry = canRepeat && isBerthError(error) && error.retryable;
  const delay = canRetry ? takeRetry(budget, headers) : undefined;
  if (delay === undefined) throw error;
  await pause(delay, budget.signal);
}

/** Counts a retry, and returns the milliseconds until it, with full jitter, or `undefined` if there is none. */
export function takeRetry(budget: CallBudget, headers?: Headers): number | undefined {
  const { attempts, delay, end, retries } = budget;
  if (retries + 1 >= attempts) return undefined;
  const minimum = toMilliseconds(headers?.get('Retry-After') ?? '0', headers?.get('Date') ?? '');
  const random = Math.random() * Math.min(MAX_RETRY_DELAY, delay * 2 ** retries);
  const wait = Math.max(random, minimum);
  if (minimum > MAX_RETRY_AFTER || wait >= end - performance.now()) return undefined;
  budget.retries += 1;
  return wait;
}

/** Reads `Retry-After`: seconds, or a date by the clock of the server (RFC 9110, section 10.2.3). */
function toMilliseconds(value: string, date: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  return Date.parse(value) - (Date.parse(date) || Date.now()) || 0;
}
