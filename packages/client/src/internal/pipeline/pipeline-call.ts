import type { CallOptions, FetchLike, Hooks, SharedCallOptions } from '../../call-options.ts';

import type { RememberedCall } from '../failures.ts';
import type { Deadline } from './deadline.ts';

/** Headers, keyed by lowercase name. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** A call, which may consist of several attempts. */
export interface PipelineCall extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderRecord;
  readonly body?: RequestInit['body'];
  /** More options for `fetch`. */
  readonly init?: RequestInit | undefined;
}

/**
 * Whether a failed response allows a retry. With `any`, the call was not executed, so any call may be
 * retried. With `idempotent`, the call may have been executed, so only idempotent calls are retried. With
 * `unauthorized`, the call was not executed, and a new token or a corrected clock may help.
 */
export type RetryClass = 'any' | 'idempotent' | 'never' | 'unauthorized';

/** Adds credentials to attempts. */
export interface Signer {
  /** Returns the headers of an attempt, including credentials. */
  sign(call: PipelineCall, headers: HeaderRecord, now: number): Promise<HeaderRecord>;
  /** Whether there are new credentials after `unauthorized`. Receives the headers of the rejected attempt. */
  refresh?: ((refused: HeaderRecord) => Promise<boolean>) | undefined;
}

/**
 * Renews credentials after a rejected attempt, with a new token or by adjusting the clock to the server's.
 */
export interface Renewal {
  /** Returns the server's time in milliseconds since the epoch. */
  now(): number;
  /** Returns the number of renewals so far. A call remembers it at the start of an attempt. */
  mark(): number;
  /**
   * Whether another attempt would have new credentials to send.
   *
   * @param response headers of the refusal
   * @param rejected headers of the attempt, if they contain the client's credentials
   */
  renew(
    mark: number,
    response: Headers | undefined,
    refused: HeaderRecord | undefined,
  ): Promise<boolean>;
}

export interface PipelineOptions extends SharedCallOptions {
  readonly fetch?: FetchLike | undefined;
  readonly hooks?: Hooks | undefined;
  /** How `fetch` handles redirects, unless the call overrides it. Default: that of `fetch`. */
  readonly redirect?: RequestInit['redirect'] | undefined;
  /** Header with the hosted service's own status (D10). Default: the contract's. */
  readonly upstreamStatus?: string | undefined;
  readonly signer?: Signer | undefined;
  /** Lowercase names of headers that errors must not show. */
  readonly secretHeaders: readonly string[];
  /** Classifies a failed response. Clone it to read its body. */
  classify(response: Response): RetryClass | Promise<RetryClass>;
}

export interface Pipeline {
  /** Starts the time limits of a call. */
  open(call: Pick<PipelineCall, 'method' | 'url' | 'signal' | 'timeouts'>): Deadline;
  /** Returns the headers of a call, including credentials, for requests that do not go through `fetch`. */
  sign(call: PipelineCall, headers?: HeaderRecord): Promise<HeaderRecord>;
  /** Renews credentials for requests that do not go through `fetch`. */
  readonly renewal: Pick<Renewal, 'mark' | 'renew'>;
  /** Returns what to remember about an attempt with these headers. */
  describe(call: Pick<PipelineCall, 'method' | 'url'>, headers: HeaderRecord): RememberedCall;
  /**
   * Sends a call until it gets a response that is not retried, whatever the status, and reads it with
   * `finish`. That is part of the attempt: if it fails, the call is retried as well.
   *
   * @throws NetworkError, TimeoutError, or the reason of the signal
   */
  send<T = Response>(
    call: PipelineCall,
    finish?: (response: Response) => T | Promise<T>,
  ): Promise<T>;
}
