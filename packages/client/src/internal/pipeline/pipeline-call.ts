import type { CallOptions, FetchLike, Hooks, SharedCallOptions } from '../../call-options.ts';

import type { RememberedCall } from '../failures.ts';
import type { Deadline } from './deadline.ts';

/** Headers by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** One call, however many attempts it takes. */
export interface PipelineCall extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderRecord;
  readonly body?: RequestInit['body'];
  /** More options for `fetch`. */
  readonly init?: RequestInit | undefined;
}

/**
 * Whether a failed response allows a retry. `any`: it was not executed. `idempotent`: it may have been.
 * `unauthorized`: it was not; another token or another clock may help.
 */
export type RetryClass = 'any' | 'idempotent' | 'never' | 'unauthorized';

/** Adds credentials to attempts. */
export interface Signer {
  /** Returns the headers of an attempt with its credentials. */
  sign(call: PipelineCall, headers: HeaderRecord, now: number): Promise<HeaderRecord>;
  /** Whether there are new credentials after `unauthorized`; receives the headers of the refused attempt. */
  refresh?: ((refused: HeaderRecord) => Promise<boolean>) | undefined;
}

/** What changes between attempts that were refused: the token and the clock. */
export interface Renewal {
  /** Milliseconds since the epoch, by the server's clock. */
  now(): number;
  /** Number of renewals so far; a call remembers it at the start of an attempt. */
  mark(): number;
  /**
   * Whether another attempt has new credentials to send.
   *
   * @param response headers of the refusal
   * @param refused headers of the attempt, if they contain credentials of the client
   */
  renew(
    mark: number,
    response: Headers | undefined,
    refused: HeaderRecord | undefined,
  ): Promise<boolean>;
}

/** Options to create a pipeline. */
export interface PipelineOptions extends SharedCallOptions {
  readonly fetch?: FetchLike | undefined;
  readonly hooks?: Hooks | undefined;
  /** How `fetch` handles a redirect, unless the call overrides it. Default: that of `fetch`. */
  readonly redirect?: RequestInit['redirect'] | undefined;
  /** Header that carries the hosted service's own status (D10). Default: that of the contract. */
  readonly upstreamStatus?: string | undefined;
  readonly signer?: Signer | undefined;
  /** Names of headers that errors must not show, in lower case. */
  readonly secretHeaders: readonly string[];
  /** Classifies a failed response; to read its body, clone it. */
  classify(response: Response): RetryClass | Promise<RetryClass>;
}

/** Sends calls. */
export interface Pipeline {
  /** Starts the time limits of a call. */
  open(call: Pick<PipelineCall, 'method' | 'url' | 'signal' | 'timeouts'>): Deadline;
  /** Returns the headers of a call with its credentials, for requests not sent by `fetch`. */
  sign(call: PipelineCall, headers?: HeaderRecord): Promise<HeaderRecord>;
  /** Renews the credentials of requests not sent by `fetch`. */
  readonly renewal: Pick<Renewal, 'mark' | 'renew'>;
  /** What to remember of an attempt with these headers. */
  describe(call: Pick<PipelineCall, 'method' | 'url'>, headers: HeaderRecord): RememberedCall;
  /**
   * Sends a call until it gets a response that is not retried, whatever its status, and reads it with
   * `finish`, which is part of the attempt: if it fails, the call is retried as well.
   *
   * @throws NetworkError, TimeoutError, or the reason of the signal
   */
  send<T = Response>(
    call: PipelineCall,
    finish?: (response: Response) => T | Promise<T>,
  ): Promise<T>;
}
