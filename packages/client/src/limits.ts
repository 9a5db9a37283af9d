import { checkNumber, invalid } from './checks.ts';
import { BerthError, type CallInfo } from './errors.ts';
import { isStream } from './streams.ts';

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
  /** Whether the call may be executed twice: it is idempotent, and its body is not a stream, which is read only once. */
  canRepeat: boolean;
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
  const end = performance.now() + (timeout || Number.POSITIVE_INFINITY);
  try {
    const canRepeat = idempotent && !isStream(options.body);
    const budget = { ...limits, signal, end, canRepeat, retries: 0 };
    return await untilAborted(run(budget), signal);
  } catch (error) {
    caller?.throwIfAborted();
    // Lets the error show the line of its caller, like `withCaller`.
    if (error instanceof BerthError) Error.captureStackTrace?.(error, withBudget);
    if (!expiry.signal.aborted) throw error;
    const summary = info ? 'The call' : `${subject}:`;
    const message = `${summary} timed out after ${timeout} ms`;
    throw new BerthError('timeout', message, { info, retryable: true });
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
