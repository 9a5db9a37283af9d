import { setTimeout } from 'node:timers/promises';
import { errorCodesOf, SURFACES, type SurfaceName } from '../surfaces/surface.ts';
import { toInteger } from '../user-input.ts';

/** The faults of one call, by kind. They take effect in the order of `FAULT_KINDS`. */
export interface Fault {
  /** Delay before the call is handled, in milliseconds. Several faults add up. */
  readonly latency?: number;
  /** Closes the connection without a response. */
  readonly reset?: true;
  /** Closes the connection after this many bytes of the body. Shorter bodies are sent completely. */
  readonly truncate?: number;
  /** An error code of the surface that is called, sent as the contract specifies. */
  readonly code?: string;
}

/** What faults can do to a call. */
export interface FaultedCall {
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Responds with an error of the surface. */
  sendError(code: string): void;
  /** Closes the connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
  reset(): void;
  /** Changes the response's body, whose `Content-Length` stays. A kind that calls it has `needsBody`. */
  editBody(edit: BodyEdit): void;
}

/** Returns what is sent instead of a chunk. If it is the last, the connection is then closed. */
export type BodyEdit = (chunk: Buffer) => { readonly sent: Buffer; readonly isLast: boolean };

export interface FaultKind<Value> {
  /** What the value must be, as the end of a sentence without its period. */
  requirement(surface?: SurfaceName): string;
  /**
   * Parses the value of the field, or the text after `=` (`true` if there is none). Returns undefined if it is invalid, or
   * has no effect on the surface. Called again with the parsed value for each call.
   */
  parse(input: unknown, surface?: SurfaceName): Value | undefined;
  /** Takes effect before the call is handled. */
  apply(value: Value, call: FaultedCall): void | Promise<void>;
  /** Whether `apply` responds or closes the connection, so that the call is not handled. */
  readonly endsCall?: boolean;
  /**
   * Whether to skip HEAD requests and WebSockets, which have no body, without counting them. A 204 is still counted,
   * because its status is not known yet.
   */
  readonly needsBody?: boolean;
}

const MAX_LATENCY_MS = 3_600_000;

/**
 * All kinds of faults, in the order in which they take effect, up to the first that ends the call. `code` is last, so
 * that the kinds before it can change the response that it sends.
 */
export const FAULT_KINDS: {
  readonly [Name in keyof Fault]-?: FaultKind<NonNullable<Fault[Name]>>;
} = {
  latency: {
    requirement: () => 'an integer number of milliseconds such as 200, at most one hour',
    parse: (value) => toInteger(value, 0, MAX_LATENCY_MS),
    apply: (ms, { signal }) => setTimeout(ms, undefined, { signal }).catch(() => {}),
  },
  reset: {
    requirement: () => 'true or omitted',
    parse: (value) => (value === true || value === 'true' ? true : undefined),
    apply: (_, call) => call.reset(),
    endsCall: true,
  },
  truncate: {
    requirement: () => 'an integer number of bytes',
    parse: (value) => toInteger(value, 0),
    apply(bytes, call) {
      let left = bytes;
      call.editBody((chunk) => {
        const sent = chunk.subarray(0, left);
        left -= chunk.length;
        return { sent, isLast: left < 0 };
      });
    },
    needsBody: true,
  },
  code: {
    requirement: (surface) =>
      surface === undefined
        ? "a code from one of the contract's error tables, such as SERVICE_TIMEOUT"
        : `an error code of ${surface}: ${errorCodesOf(surface).join(', ')}`,
    parse: (input, surface) =>
      (surface === undefined ? SURFACES : [surface])
        .flatMap((name) => errorCodesOf(name))
        .find((code) => code === input),
    apply: (code, call) => call.sendError(code),
    endsCall: true,
  },
};
