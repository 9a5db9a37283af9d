import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
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

interface FaultedCall {
  readonly request: IncomingMessage;
  /** Undefined for a WebSocket. */
  readonly response: ServerResponse | undefined;
  readonly surface: SurfaceName;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** What a kind does: one of these. */
type Effect<Value> =
  /** Delays the call before it is handled. */
  | { delay(value: Value, call: FaultedCall): Promise<void> }
  /** Responds or closes the connection, so that the call is not handled. @throws SurfaceError to respond with */
  | { endCall(value: Value, call: FaultedCall): void }
  /** Shortens or delays the body, with `interceptBody`. Calls without a body (HEAD, WebSockets) do not count for `times`. */
  | { changeBody(value: Value, call: FaultedCall & { readonly response: ServerResponse }): void };

export type FaultKind<Value> = Effect<Value> & {
  /** What the value must be, as the end of a sentence without its period. */
  requirement(surface?: SurfaceName): string;
  /** Parses the value of the field, or the text after `=` (`true` if there is none). Returns undefined if it is invalid. */
  parse(input: unknown): Value | undefined;
  /** Whether the fault has an effect on calls to the surface. Default: on calls to any. */
  appliesTo?(value: Value, surface: SurfaceName): boolean;
};

const MAX_LATENCY_MS = 3_600_000;

/**
 * All kinds, in the order in which they are applied. If several change the body, they run from last to first.
 * `code` is last, so that the others can change its response.
 */
export const FAULT_KINDS: {
  readonly [Name in keyof Fault]-?: FaultKind<NonNullable<Fault[Name]>>;
} = {
  latency: {
    requirement: () => 'an integer number of milliseconds such as 200, at most one hour',
    parse: (value) => toInteger(value, 0, MAX_LATENCY_MS),
    delay: (ms, { signal }) => wait(ms, signal),
  },
  reset: {
    requirement: () => 'true or omitted',
    parse: (value) => (value === true || value === 'true' ? true : undefined),
    // RFC 9293, section 3.10.7: a TCP reset, which clients see as `ECONNRESET`.
    endCall: (_, { request }) => void request.socket.resetAndDestroy(),
  },
  truncate: {
    requirement: () => 'an integer number of bytes',
    parse: (value) => toInteger(value, 0),
    changeBody: (bytes, { response }) => truncateBody(response, bytes),
  },
  code: {
    requirement: (surface) =>
      surface === undefined
        ? "a code from one of the contract's error tables, such as SERVICE_TIMEOUT"
        : `an error code of ${surface}: ${errorCodesOf(surface).join(', ')}`,
    parse: (input) => SURFACES.flatMap((name) => errorCodesOf(name)).find((code) => code === input),
    appliesTo: (code, surface) => errorCodesOf(surface).includes(code),
    endCall(code, { surface }) {
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

/** Cuts the body, but not `Content-Length`, and then closes the connection. */
function truncateBody(response: ServerResponse, maxBytes: number): void {
  let remaining = maxBytes;
  interceptBody(response, async (chunk, write) => {
    const part = chunk.subarray(0, remaining);
    remaining -= chunk.length;
    await write(part);
    if (remaining >= 0) return;
    response.socket?.destroySoon();
    // What follows is never written, as if the connection were slow.
    await new Promise(() => {});
  });
}

/**
 * Overrides `write` and `end`: `send` may split or delay each chunk of the body, but the head is already fixed. If it rejects,
 * the connection is closed. An empty chunk is not passed to `send`: it sends the head early.
 */
export function interceptBody(
  response: ServerResponse,
  send: (chunk: Buffer, write: (part: Buffer) => Promise<void>) => Promise<void>,
): void {
  const write = promisify<Buffer, void>(response.write.bind(response));
  const end = response.end.bind(response);
  const emit = response.emit.bind(response);
  const body = new Writable({
    write(chunk: Buffer, _, done) {
      const sent = chunk.length === 0 ? write(chunk) : send(chunk, write);
      sent.then(() => done(), done);
    },
    final: (done) => void end(done),
  });
  body.on('drain', () => response.emit('drain')).on('error', () => response.destroy());
  // Node emits `drain` when the connection is ready for more, but parts of the body may still be withheld.
  response.emit = (event: string, ...args: unknown[]) =>
    event === 'drain' && body.writableNeedDrain ? false : emit(event, ...args);
  response.write = body.write.bind(body);
  response.end = ((...args: Parameters<Writable['end']>) => {
    body.end(...args);
    return response;
  }) as ServerResponse['end'];
}
