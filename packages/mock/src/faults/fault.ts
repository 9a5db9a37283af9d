/** Time before an answer: milliseconds, a range of equal chances, or a normal distribution. */
export type Latency =
  | number
  | { readonly min: number; readonly max: number }
  | { readonly mean: number; readonly deviation: number };

/** What can be done to a call on purpose. All that is given is done. */
export interface Fault {
  /** Time before the answer begins; those of several faults add up. */
  readonly latency?: Latency;
  /** A code of the surface's error table, answered as the contract says. */
  readonly code?: string;
  /** The connection is reset: before the answer, or after so many bytes of its body. */
  readonly reset?: true | { readonly after: number };
  /** The connection is lost after so many bytes of the body; a shorter body is whole. */
  readonly truncate?: number;
  /** Bytes of the body by second. */
  readonly bytesPerSecond?: number;
  /** So many calls by second; what is above is refused with the code that the contract has for it. */
  readonly callsPerSecond?: number;
  /** The call is refused as one whose token, grant or link has expired. */
  readonly expiredToken?: true;
}

/** A fault, and the calls that it is done to. */
export interface FaultRule {
  /** Name in the log and the inspector. */
  readonly name: string;
  /** An `operationId`, a surface, or a service (`service:hello`). Default: every call. */
  readonly match?: string;
  /** Share of the calls, 0 to 1, drawn with the seed of the mock. Default 1. */
  readonly share?: number;
  /** Done to so many calls, then forgotten. Default: no end. */
  readonly times?: number;
  readonly fault: Fault;
}
