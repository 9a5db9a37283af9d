import { checkNumber, invalid } from './checks.ts';

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
   * Default: 120,000. An upload or download has no limit unless its own call sets one.
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

/** The progress of an upload or download. */
export interface Progress {
  /** Number of bytes transferred so far. An upload starts again at 0 with each attempt. */
  readonly loaded: number;
  /** Number of bytes to transfer; `undefined` if unknown. */
  readonly total: number | undefined;
}

/** Options that uploads and downloads have in common. */
export interface TransferOptions {
  /**
   * Longest pause in an upload or download, in milliseconds. `0`: no limit. Default: 65,000. Pauses of your own stream
   * do not count, nor do those of an upload by `fetch` (in browsers, without `onProgress`), which shows no progress.
   */
  readonly idle?: number | undefined;
  /** Called with the number of bytes transferred so far. If it throws, the transfer ends with that error. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** {@link LimitOptions} with defaults applied. Without a time limit, `timeout` is 0. */
export type Limits = Readonly<Record<'timeout' | 'attempts' | 'delay', number>>;

/** `timeout` is slightly longer than the gateway's own limit for a call and its retry. */
const DEFAULTS: Limits = { timeout: 120_000, attempts: 3, delay: 250 };

/** Default of {@link TransferOptions.idle}. */
export const IDLE = 65_000;

/** Returns the options that are not those of a call, such as those of `fetch`. */
export function withoutCallOptions<Options extends CallOptions>(all: Options) {
  const { signal, timeout, retry, idempotent, ...others } = all;
  return others;
}

/** Fills in a call's options from the client's defaults. */
export function toLimits(options: LimitOptions, defaults = DEFAULTS): Limits {
  const { timeout = defaults.timeout, retry = {} } = options;
  if (retry && typeof retry !== 'object') throw invalid('retry', 'an object', retry);
  const { attempts = defaults.attempts, delay = defaults.delay } = retry || { attempts: 1 };
  checkNumber('timeout', timeout, 0);
  checkNumber('retry.attempts', attempts, 1, 'an integer');
  if (attempts > 10) throw invalid('retry.attempts', 'at most 10', attempts);
  checkNumber('retry.delay', delay, 0);
  return { timeout, attempts, delay };
}
