import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasResponse } from '@berth/server-stubs/contract';
import { type Refusal, toRefusal } from '../contract/surface.ts';
import { applyFaults, type BodyChange } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultRule, type FaultRules, type FaultSubject } from './fault-rules.ts';

/** A request that faults may apply to, before it is validated. */
export interface FaultedRequest {
  readonly request: IncomingMessage;
  /** Undefined for the upgrade to a WebSocket. */
  readonly response: ServerResponse | undefined;
  /** The rules of the request's session. */
  readonly rules: FaultRules;
  /** Identifies the call. Only called if there are faults. */
  identify(): FaultSubject;
  /** Called with the names of the faults that apply, before they take effect. */
  note(names: readonly string[], subject: FaultSubject): void;
  /** Responds with an error. */
  refuse(error: Refusal): void;
}

/**
 * Applies the faults of the session and of the `X-Mock-Fault` header to a request. Preflights have none, because
 * after a failed preflight the browser would not send the actual request.
 *
 * @returns whether the request is over and must not be handled. Without faults, `false` at once
 */
export function applyRequestFaults(faulted: FaultedRequest): boolean | Promise<boolean> {
  const { request, response, rules, refuse } = faulted;
  const header = request.headers[FAULT_HEADER.toLowerCase()];
  if ((header === undefined && rules.isEmpty) || request.method === 'OPTIONS') return false;
  const subject = faulted.identify();
  const { surface } = subject;
  let due: readonly FaultRule[];
  try {
    due = rules.take(subject, header?.toString());
  } catch (error) {
    if (!hasResponse(error)) throw error;
    refuse(error as Refusal);
    return true;
  }
  if (due.length === 0) return false;
  faulted.note(
    due.map(({ name }) => name),
    subject,
  );
  const disconnected = new AbortController();
  (response ?? request.socket).once('close', () => disconnected.abort());
  return applyFaults(due, {
    surface,
    signal: disconnected.signal,
    fail: (code, options) => refuse(toRefusal(surface, code, options)),
    reset: () => resetSocket(request.socket),
    changeBody(change) {
      // A WebSocket has no body.
      if (response !== undefined) changeBody(response, change);
    },
  });
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}

/** Changes what is written to a response from now on. */
function changeBody(response: ServerResponse, change: BodyChange): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let isClosing = false;
  response.write = ((data: Uint8Array | string, encoding?: BufferEncoding) => {
    if (isClosing) return false;
    const { chunk, isLast = false } = change(toBuffer(data, encoding));
    if (!isLast) return write(chunk);
    isClosing = true;
    // When this write completes, the head and everything before it have been sent.
    write(chunk, () => response.socket?.destroySoon());
    return false;
  }) as typeof response.write;
  response.end = ((data?: Uint8Array | string, encoding?: BufferEncoding) => {
    // Node discards the body of a response to HEAD.
    if (data === undefined || response.req.method === 'HEAD') return end();
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', toBuffer(data, encoding).length);
    }
    response.write(data, encoding as BufferEncoding);
    return isClosing ? response : end();
  }) as typeof response.end;
}

function toBuffer(data: Uint8Array | string, encoding: BufferEncoding | undefined): Buffer {
  return typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data);
}
