import type { SignableRequest } from '../../auth/auth.ts';
import type { CallOptions, Hooks, SharedCallOptions } from '../../call-options.ts';
import type { FetchLike } from '../../fetch-like.ts';
import type { Deadline } from './deadline.ts';

/** One call, whatever number of tries it takes. */
export interface PipelineCall extends CallOptions {
  readonly method: string;
  readonly url: string;
  /** Never changed: each try has its own copy. */
  readonly headers: Headers;
  readonly body?: RequestInit['body'];
  /** Whatever else `fetch` is to get. */
  readonly init?: RequestInit | undefined;
}

/**
 * What a failed answer allows: `any`: it was not executed. `idempotent`: it may have been. `expired`:
 * it was not, and a new token is needed. `unauthorized`: it was not; another clock may help.
 */
export type Verdict = 'any' | 'idempotent' | 'never' | 'expired' | 'unauthorized';

/** How credentials come to a try. */
export interface Signer {
  /** Adds the headers. */
  sign(request: SignableRequest): void | Promise<void>;
  /** Whether there is something new after `expired`; gets the headers of the try that was refused. */
  refresh?: ((refused: Headers) => Promise<boolean>) | undefined;
}

/** What a client makes its pipeline of. */
export interface PipelineOptions extends SharedCallOptions {
  readonly fetch?: FetchLike | undefined;
  readonly hooks?: Hooks | undefined;
  /** Header that carries the hosted service's own status (D10), for errors. */
  readonly upstreamStatus?: string | undefined;
  readonly signer?: Signer | undefined;
  /** Headers that no error may show. */
  readonly secretHeaders: readonly string[];
  /** Judges an answer; read only a clone of it. */
  judge(response: Response): Verdict | Promise<Verdict>;
}

/** Sends calls. */
export interface Pipeline {
  /** Opens the limits of a call; close them when its answer is read. */
  open(call: Pick<PipelineCall, 'method' | 'url' | 'signal' | 'timeouts'>): Deadline;
  /** The headers of a call with its credentials, for what is not sent by `fetch`. */
  sign(call: PipelineCall): Promise<Headers>;
  /**
   * Sends a call until there is an answer to keep, whatever its status, and reads it with `finish`,
   * which belongs to the try: what breaks there is repeated as well.
   *
   * @throws NetworkError, TimeoutError, or the reason of the signal
   */
  send<T>(
    call: PipelineCall,
    deadline: Deadline,
    finish: (response: Response) => T | Promise<T>,
  ): Promise<T>;
}
