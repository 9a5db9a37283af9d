import type { CallOptions, FetchLike, Hooks, SharedCallOptions } from '../../call-options.ts';

import type { RememberedCall } from '../failures.ts';
import type { Deadline } from './deadline.ts';

/** Headers by their names in small letters. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** One call, whatever number of tries it takes. */
export interface PipelineCall extends CallOptions {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderRecord;
  readonly body?: RequestInit['body'];
  /** Whatever else `fetch` is to get. */
  readonly init?: RequestInit | undefined;
}

/**
 * What a failed answer allows: `any`: it was not executed. `idempotent`: it may have been.
 * `unauthorized`: it was not; another token or another clock may help.
 */
export type Verdict = 'any' | 'idempotent' | 'never' | 'unauthorized';

/** How credentials come to a try. */
export interface Signer {
  /** Gives the headers of a try with its credentials. */
  sign(call: PipelineCall, headers: HeaderRecord, now: number): Promise<HeaderRecord>;
  /** Whether there is something new after `unauthorized`; gets the headers of the try that was refused. */
  refresh?: ((refused: HeaderRecord) => Promise<boolean>) | undefined;
}

/** What changes between the tries of calls that were refused: the token, and the clock. */
export interface Renewal {
  /** Milliseconds since the epoch, by the server's clock. */
  now(): number;
  /** Counts the renewals; a call keeps the count that a try begins with. */
  mark(): number;
  /**
   * Whether another try has something new to send.
   *
   * @param answer headers of the refusal
   * @param refused headers of the try, if they hold credentials of the client
   */
  renew(
    mark: number,
    answer: Headers | undefined,
    refused: HeaderRecord | undefined,
  ): Promise<boolean>;
}

/** What a client makes its pipeline of. */
export interface PipelineOptions extends SharedCallOptions {
  readonly fetch?: FetchLike | undefined;
  readonly hooks?: Hooks | undefined;
  /** What `fetch` does with a redirect, if the call does not say. Default: that of `fetch`. */
  readonly redirect?: RequestInit['redirect'] | undefined;
  /** Header that carries the hosted service's own status (D10). Default: that of the contract. */
  readonly upstreamStatus?: string | undefined;
  readonly signer?: Signer | undefined;
  /** Names of headers that no error may show, in small letters. */
  readonly secretHeaders: readonly string[];
  /** Judges an answer; read only a clone of it. */
  judge(response: Response): Verdict | Promise<Verdict>;
}

/** Sends calls. */
export interface Pipeline {
  /** Opens the limits of a call. */
  open(call: Pick<PipelineCall, 'method' | 'url' | 'signal' | 'timeouts'>): Deadline;
  /** The headers of a call with its credentials, for what is not sent by `fetch`. */
  sign(call: PipelineCall, headers?: HeaderRecord): Promise<HeaderRecord>;
  /** Renews the credentials of what is not sent by `fetch`. */
  readonly renewal: Pick<Renewal, 'mark' | 'renew'>;
  /** What is remembered of a try with these headers. */
  describe(call: Pick<PipelineCall, 'method' | 'url'>, headers: HeaderRecord): RememberedCall;
  /**
   * Sends a call until there is a response to keep, whatever its status, and reads it with `finish`
   * if there is one, which belongs to the try: what breaks there is repeated as well.
   *
   * @throws NetworkError, TimeoutError, or the reason of the signal
   */
  send<T = Response>(
    call: PipelineCall,
    finish?: (response: Response) => T | Promise<T>,
  ): Promise<T>;
}
