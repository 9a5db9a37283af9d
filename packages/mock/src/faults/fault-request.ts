import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasResponse } from '@berth/server-stubs/contract';
import { type Refusal, toRefusal } from '../contract/surface.ts';
import { applyFaults } from './fault-kinds.ts';
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
    signal: disconnected.signal,
    fail: (code) => refuse(toRefusal(subject.surface, code)),
    reset: () => resetSocket(request.socket),
    truncate(bytes) {
      // A WebSocket has no body.
      if (response !== undefined) truncateBody(response, bytes);
    },
  });
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if (socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Closes the connection after a number of bytes of the response body. `Content-Length` is unchanged, so that the
 * client notices the missing bytes.
 */
function truncateBody(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  response.write = ((chunk: Uint8Array | string, encoding?: BufferEncoding) => {
    if (left < 0) return false;
    const bytes = toBuffer(chunk, encoding);
    const start = bytes.subarray(0, left);
    left -= bytes.length;
    if (left >= 0) return write(start);
    // When this write completes, the head and everything before it have been sent.
    write(start, () => response.socket?.destroySoon());
    return false;
  }) as typeof response.write;
  response.end = ((chunk?: Uint8Array | string, encoding?: BufferEncoding) => {
    // Node discards the body of a response to HEAD.
    if (chunk === undefined || response.req.method === 'HEAD') return end();
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', toBuffer(chunk, encoding).length);
    }
    response.write(chunk, encoding as BufferEncoding);
    return left < 0 ? response : end();
  }) as typeof response.end;
}

function toBuffer(chunk: Uint8Array | string, encoding: BufferEncoding | undefined): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
}
