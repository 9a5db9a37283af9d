import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Refusal, refusalFor, toRefusal } from '../contract/surface.ts';
import { FieldError } from '../util/values.ts';
import { combineFaults, type Fault, type FaultRules, type FaultSubject } from './fault.ts';
import { parseHeaderFault } from './parse-fault.ts';

/** A call that faults may apply to, before it is validated: a request, or the upgrade to a WebSocket. */
export interface FaultedCall {
  readonly request: IncomingMessage;
  readonly rules: FaultRules;
  readonly socket: Duplex;
  /** Emits `close` if the client disconnects. */
  readonly connection: NodeJS.EventEmitter;
  /** Identifies the call. Only called if there are faults. */
  readonly subject: () => FaultSubject;
  /** Called with the call and the names of the faults that apply to it. A rejected call reaches no router. */
  readonly note: (names: readonly string[], subject: FaultSubject) => void;
  readonly begin: () => void;
  /** Closes the connection after this many bytes of the body. */
  readonly truncate: (bytes: number) => void;
  readonly refuse: (error: Refusal) => void;
}

/**
 * Applies the faults requested by the session and by the call's `X-Mock-Fault` header, then calls `next`
 * unless a fault ended the call. Without faults, `next` is called synchronously.
 *
 * @param next handles the call
 */
export function doFaults(call: FaultedCall, next: () => void): void {
  let due: readonly { readonly name: string; readonly fault: Fault }[];
  try {
    due = takeFaults(call);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const message = `${FAULT_HEADER}: ${error.message}`;
    call.refuse(refusalFor('invalid', call.subject().surface, { message }));
    return;
  }
  if (due.length === 0) {
    next();
    return;
  }
  const subject = call.subject();
  call.note(
    due.map(({ name }) => name),
    subject,
  );
  const { latency, truncate, code, reset } = combineFaults(due.map(({ fault }) => fault));
  if (latency > 0) call.begin();
  wait(latency, call.connection, () => {
    if (reset) return resetSocket(call.socket);
    if (truncate < Infinity) call.truncate(truncate);
    if (code === undefined) next();
    else call.refuse(toRefusal(subject.surface, code));
  });
}

/** Request header that applies a fault to one call, in compact form. */
export const FAULT_HEADER = 'X-Mock-Fault';

const HEADER = FAULT_HEADER.toLowerCase();

/**
 * Returns the faults to apply to a call: those of its session, followed by the one in its header. Preflights
 * have none, because after a failed preflight the browser would not send the actual call.
 *
 * @throws FieldError for an invalid header
 */
function takeFaults({ request, rules, subject }: FaultedCall) {
  const asked = request.headers[HEADER];
  if ((asked === undefined && rules.isEmpty) || request.method === 'OPTIONS') return [];
  const call = subject();
  // Rejects an invalid header before any rule counts the call.
  const own = asked === undefined ? undefined : parseHeaderFault(String(asked), call);
  const due = rules.take(call);
  return own === undefined ? due : [...due, { name: FAULT_HEADER, fault: own }];
}

/** Waits for a number of milliseconds, or until the client disconnects. */
function wait(ms: number, connection: NodeJS.EventEmitter, then: () => void): void {
  if (ms === 0) {
    then();
    return;
  }
  const forget = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    connection.off('close', forget);
    then();
  }, ms);
  connection.once('close', forget);
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/**
 * Closes the connection after a number of bytes of the response body. `Content-Length` is unchanged, so that
 * the client notices the missing bytes.
 */
export function truncateBody(response: ServerResponse, bytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = bytes;
  let isCut = false;

  /** Returns the chunk as bytes, or undefined if the end of it is cut off. */
  const take = (chunk: unknown, encoding: unknown): Buffer | undefined => {
    if (isCut) return undefined;
    const whole = toBytes(chunk, encoding);
    if (whole.length <= left) {
      left -= whole.length;
      return whole;
    }
    isCut = true;
    // When this write completes, the head and everything before it have been sent.
    write(whole.subarray(0, left), () => {
      if (response.socket === null) response.destroy();
      else response.socket.destroySoon();
    });
    return undefined;
  };

  response.write = ((chunk: unknown, ...rest: Rest) => {
    const whole = take(chunk, rest[0]);
    return whole !== undefined && write(whole, ...(toCallback(rest) as []));
  }) as typeof response.write;
  response.end = ((chunk: unknown, ...rest: Rest) => {
    // Node discards the body of a response to HEAD.
    const hasBody = chunk !== undefined && chunk !== null && typeof chunk !== 'function';
    if (!hasBody || response.req.method === 'HEAD') return end(chunk as never, ...(rest as []));
    const size = toBytes(chunk, rest[0]).length;
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', size);
    }
    const whole = take(chunk, rest[0]);
    return whole === undefined ? response : end(whole, ...(toCallback(rest) as []));
  }) as typeof response.end;
}

function toBytes(chunk: unknown, encoding: unknown): Buffer {
  const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
  return typeof chunk === 'string' ? Buffer.from(chunk, known) : Buffer.from(chunk as Uint8Array);
}

function toCallback(rest: Rest): Rest {
  return rest.filter((given) => typeof given === 'function');
}
