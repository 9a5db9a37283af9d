import type { Violation } from './violation.ts';

/** Why the router answers in place of a handler. */
export type FaultKind =
  | 'not-found'
  | 'method-not-allowed'
  | 'bad-path'
  | 'invalid-request'
  | 'malformed-body'
  | 'unsupported-media-type'
  | 'too-large'
  | 'unauthorized'
  | 'not-implemented'
  | 'invalid-response'
  | 'handler-failed';

/** What went wrong, before it has the shape of an answer. Holds no stack and no secret. */
export interface Fault {
  readonly kind: FaultKind;
  /** 400, 401, 404, 405, 413, 414, 415, 431, 500 or 501. */
  readonly status: number;
  /** One sentence for the caller, which names the field and the fix. */
  readonly message: string;
  /** What is wrong with the request; absent where the fault lies on the side of the server. */
  readonly violations?: readonly Violation[];
  /** Absent where no operation was found. */
  readonly operationId?: string;
  /**
   * Headers that HTTP wants on such an answer: `Allow` (405), `WWW-Authenticate` (401), `Accept` (415).
   * The router adds them to whatever `toAnswer` gives.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** The error behind it, for the log; never for the caller. */
  readonly cause?: unknown;
}
