import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasResponse } from '@berth/server-stubs/contract';
import { type CallRecord, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { type SurfaceError, toSurfaceError } from '../surface.ts';
import { refuse } from '../surfaces/responses.ts';
import type { FaultedCall } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultEffect, type FaultSubject } from './fault-rules.ts';

const HEADER = FAULT_HEADER.toLowerCase();

/**
 * Checked first, because a call without faults needs no promise, and its operation is only looked up once. Preflights
 * have none, because after a failed preflight the browser would not send the actual request.
 */
export function mayHaveFaults(
  { headers, method }: IncomingMessage,
  { session }: CallRecord,
): boolean {
  return (headers[HEADER] !== undefined || !session.faults.isEmpty) && method !== 'OPTIONS';
}

interface FaultedRequest {
  readonly request: IncomingMessage;
  /** An upgrade to a WebSocket creates it to reject the call: undefined if the caller has left. It never has a body. */
  readonly response: ServerResponse | (() => ServerResponse | undefined);
  readonly subject: FaultSubject;
}

/** Applies the faults of the session and of the header, and calls `next` unless one of them has ended the call. */
export async function applyRequestFaults(
  { request, response: target, subject }: FaultedRequest,
  options: ResolvedOptions,
  next: () => void,
): Promise<void> {
  const { socket } = request;
  const record = recordOf(request);
  const response = typeof target === 'function' ? undefined : target;
  const respond = (error: SurfaceError) => {
    const created = typeof target === 'function' ? target() : target;
    if (created === undefined) request.destroy();
    else if (!created.headersSent) void refuse(error, created, options);
  };
  let effects: readonly FaultEffect[];
  try {
    effects = record.session.faults.take(subject, request.headers[HEADER]?.toString());
  } catch (error) {
    if (!hasResponse(error)) throw error;
    respond(error as SurfaceError);
    return;
  }
  if (effects.length === 0) return next();
  record.faults = [...new Set(effects.map(({ rule }) => rule.name))];
  const disconnected = new AbortController();
  (response ?? socket).once('close', () => disconnected.abort());
  const faulted: FaultedCall = {
    signal: disconnected.signal,
    fail: (code) => respond(toSurfaceError(subject.surface, code)),
    reset: () => resetSocket(socket),
    truncate: (maxBytes) => response && truncateBody(response, maxBytes),
  };
  for (const { kind, value } of effects) {
    await kind.apply(value, faulted);
    if (!kind.endsCall && !faulted.signal.aborted) continue;
    // No router will do it.
    record.identify(subject.operationId, subject.service);
    return;
  }
  // During a delay, broken data may have ended the call.
  if (!response?.headersSent) next();
}

/** Ends a connection with a TCP reset (RFC 9293, section 3.10.7), which clients see as `ECONNRESET`. */
function resetSocket(socket: Duplex): void {
  if ('resetAndDestroy' in socket) (socket as Socket).resetAndDestroy();
  else socket.destroy();
}

type Done = (error?: Error | null) => void;

/** Closes the connection as soon as the body exceeds a size. Else, `write` and `end` do what they did. */
function truncateBody(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  response.write = ((...args: unknown[]) => {
    if (left < 0) return false;
    const { chunk, done } = readArguments(args);
    const start = chunk.subarray(0, left);
    left -= chunk.length;
    if (left >= 0) return write(chunk, done);
    // When this write completes, the head and everything before it have been sent.
    write(start, (error) => {
      response.socket?.destroySoon();
      done(error);
    });
    return false;
  }) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    const { chunk, done } = readArguments(args);
    // Node discards the body of a response to HEAD.
    if (chunk.length === 0 || response.req.method === 'HEAD') return end(done);
    // Node does the same for a response that is written in one piece.
    if (!response.headersSent && !response.hasHeader('content-length')) {
      response.setHeader('content-length', chunk.length);
    }
    response.write(chunk);
    return left < 0 ? response : end(done);
  }) as typeof response.end;
}

/** Reads `(chunk, encoding, done)`, each of which is optional. */
function readArguments(args: unknown[]): { readonly chunk: Buffer; readonly done: Done } {
  const done = args.find((value): value is Done => typeof value === 'function') ?? (() => {});
  const [data, encoding] = args.filter((value) => typeof value !== 'function');
  const text = typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding) : undefined;
  return { chunk: text ?? Buffer.from((data ?? '') as Uint8Array), done };
}
