import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasResponse } from '@berth/server-stubs/contract';
import { type CallRecord, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { type SurfaceError, toSurfaceError } from '../surface.ts';
import { refuse } from '../surfaces/responses.ts';
import { FAULT_KINDS, type Fault, type FaultedCall, type FaultKind } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultRule, type FaultSubject } from './fault-rules.ts';

const HEADER = FAULT_HEADER.toLowerCase();

const KINDS = Object.entries(FAULT_KINDS) as [keyof Fault, FaultKind<unknown>][];

/** Preflights have no faults, because after a failed preflight the browser would not send the actual request. */
export function mayHaveFaults(
  { headers, method }: IncomingMessage,
  { session }: CallRecord,
): boolean {
  return (headers[HEADER] !== undefined || !session.faults.isEmpty) && method !== 'OPTIONS';
}

interface FaultedRequest {
  readonly request: IncomingMessage;
  /** Undefined for the upgrade to a WebSocket, which has no body. */
  readonly response?: ServerResponse;
  readonly subject: FaultSubject;
  toResponse(): ServerResponse | undefined;
}

/** Applies the faults of the session and of the header, and calls `next` unless one of them has ended the call. */
export async function applyRequestFaults(
  { request, response, subject, toResponse }: FaultedRequest,
  options: ResolvedOptions,
  next: () => unknown,
): Promise<void> {
  const record = recordOf(request);
  const respond = (error: SurfaceError) => {
    const created = toResponse();
    if (created === undefined) request.destroy();
    else if (!created.headersSent) void refuse(error, created, options);
  };
  let due: readonly FaultRule[];
  try {
    due = record.session.faults.take(subject, request.headers[HEADER]?.toString());
  } catch (error) {
    if (!hasResponse(error)) throw error;
    respond(error as SurfaceError);
    return;
  }
  if (due.length > 0) {
    const { surface, operationId, service } = subject;
    Object.assign(record, { faults: due.map(({ name }) => name), operationId, service });
    const { socket } = request;
    const disconnected = new AbortController();
    (response ?? socket).once('close', () => disconnected.abort());
    const call: FaultedCall = {
      signal: disconnected.signal,
      fail: (code) => respond(toSurfaceError(surface, code)),
      reset: () => resetSocket(socket),
      truncate: (maxBytes) => response && truncateWrites(response, maxBytes),
    };
    for (const [name, { apply, endsCall = false }] of KINDS) {
      for (const { [name]: value } of due) {
        if (value === undefined) continue;
        await apply(value, call);
        if (endsCall || call.signal.aborted) return;
      }
    }
  }
  // During a delay, broken data may have ended the call.
  if (!response?.headersSent) next();
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if ('resetAndDestroy' in socket) (socket as Socket).resetAndDestroy();
  else socket.destroy();
}

function truncateWrites(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  response.write = ((data: Uint8Array | string, encoding?: BufferEncoding) => {
    if (left < 0) return false;
    const chunk = toBuffer(data, encoding);
    const start = chunk.subarray(0, left);
    left -= chunk.length;
    if (left >= 0) return write(chunk);
    // When this write completes, the head and everything before it have been sent.
    write(start, () => response.socket?.destroySoon());
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
    return left < 0 ? response : end();
  }) as typeof response.end;
}

function toBuffer(data: Uint8Array | string, encoding: BufferEncoding | undefined): Buffer {
  return typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data);
}
