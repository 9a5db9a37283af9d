import type { IncomingMessage } from 'node:http';
import { errorCodesOf, SURFACES, type SurfaceName, toErrorWithCode } from '../surface.ts';
import { toInteger } from '../user-input.ts';

/** The faults of one call, by kind. */
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

/** The effect of a fault; exactly one of: */
type Effect<Value> =
  /** Delays the call before it is handled. The signal is aborted when the caller disconnects. */
  | { delay(value: Value, signal: AbortSignal): Promise<void> }
  /** Responds or closes the connection, so that the call is not handled. @throws SurfaceError to respond with */
  | { endCall(value: Value, request: IncomingMessage, surface: SurfaceName): void }
  /** Returns the number of bytes after which a longer body is cut. A call counts once it is. */
  | { maxBodyBytes(value: Value): number };

export type FaultKind<Value> = Effect<Value> & {
  /** What the value must be, as the end of a sentence without its period. */
  requirement(surface?: SurfaceName): string;
  /** Parses the value of the field, or the text after `=` (`true` without one). Returns undefined if it is invalid. */
  parse(input: unknown): Value | undefined;
  /** Whether the fault has an effect on calls to the surface. Default: calls to every surface. */
  appliesTo?(value: Value, surface: SurfaceName): boolean;
};

const MAX_LATENCY_MS = 3_600_000;

/** All kinds, in the order in which they are applied. `code` is last, so that the others can change its response. */
export const FAULT_KINDS: {
  readonly [Name in keyof Fault]-?: FaultKind<NonNullable<Fault[Name]>>;
} = {
  latency: {
    requirement: () => 'an integer number of milliseconds such as 200, at most one hour',
    parse: (value) => toInteger(value, 0, MAX_LATENCY_MS),
    delay: wait,
  },
  reset: {
    requirement: () => 'true or omitted',
    parse: (value) => (value === true || value === 'true' ? true : undefined),
    // RFC 9293, section 3.10.7: a TCP reset, which clients see as `ECONNRESET`.
    endCall: (_, { socket }) => void socket.resetAndDestroy(),
  },
  truncate: {
    requirement: () => 'an integer number of bytes',
    parse: (value) => toInteger(value, 0),
    // `Content-Length` is still that of the entire body.
    maxBodyBytes: (bytes) => bytes,
  },
  code: {
    requirement: (surface) =>
      surface === undefined
        ? "a code from one of the contract's error tables, such as SERVICE_TIMEOUT"
        : `an error code of ${surface}: ${errorCodesOf(surface).join(', ')}`,
    parse: (input) => SURFACES.flatMap((name) => errorCodesOf(name)).find((code) => code === input),
    appliesTo: (code, surface) => errorCodesOf(surface).includes(code),
    endCall(code, _, surface) {
      throw toErrorWithCode(surface, code);
    },
  },
};

/** Ends early if the caller disconnects. Tests replace the global timers. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
