import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { errorCodesOf, SURFACES, type SurfaceName, toErrorWithCode } from '../surfaces/surface.ts';
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

/** The request and the response of a call that no router has seen yet. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly response?: ServerResponse;
}

interface FaultedCall extends Exchange {
  readonly surface: SurfaceName;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

export interface FaultKind<Value> {
  /** What the value must be, as the end of a sentence without its period. */
  requirement(surface?: SurfaceName): string;
  /** Parses the value of the field, or the text after `=` (`true` if there is none). Returns undefined if it is invalid. */
  parse(input: unknown): Value | undefined;
  /** Whether the fault has an effect on calls to the surface. Default: on calls to any. */
  appliesTo?(value: Value, surface: SurfaceName): boolean;
  /** Takes effect before the call is handled. @throws SurfaceError to respond with */
  apply(value: Value, call: FaultedCall): void | Promise<void>;
  /** Whether `apply` responds or closes the connection, so that the call is not handled. */
  readonly endsCall?: boolean;
  /** Whether to skip HEAD requests and WebSockets, which have no body. They do not count for `times`. */
  readonly needsBody?: boolean;
}

const MAX_LATENCY_MS = 3_600_000;

/** All kinds, in the order in which they take effect. `code` is last, so that the others can change its response. */
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
    // RFC 9293, section 3.10.7: a TCP reset, which clients see as `ECONNRESET`.
    apply: (_, { request }) => void request.socket.resetAndDestroy(),
    endsCall: true,
  },
  truncate: {
    requirement: () => 'an integer number of bytes',
    parse: (value) => toInteger(value, 0),
    apply: (bytes, { response }) => truncateBody(response as ServerResponse, bytes),
    needsBody: true,
  },
  code: {
    requirement: (surface) =>
      surface === undefined
        ? "a code from one of the contract's error tables, such as SERVICE_TIMEOUT"
        : `an error code of ${surface}: ${errorCodesOf(surface).join(', ')}`,
    parse: (input) => SURFACES.flatMap((name) => errorCodesOf(name)).find((code) => code === input),
    appliesTo: (code, surface) => errorCodesOf(surface).includes(code),
    apply(code, { surface }) {
      throw toErrorWithCode(surface, code);
    },
    endsCall: true,
  },
};

/** Overrides `write` and `end` to cut the body, but not `Content-Length`, and then closes the connection. */
function truncateBody(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  const cut = new Writable({
    write(chunk: Buffer, _, done) {
      const part = chunk.subarray(0, left);
      left -= chunk.length;
      // What follows is never written, as if the connection were slow.
      write(part, left < 0 ? () => response.socket?.destroySoon() : done);
    },
    final: (done) => void end(done),
  });
  cut.on('drain', () => response.emit('drain')).on('error', () => response.destroy());
  response.write = cut.write.bind(cut);
  response.end = ((...args: Parameters<Writable['end']>) => {
    cut.end(...args);
    return response;
  }) as ServerResponse['end'];
}
