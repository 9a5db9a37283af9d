import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasResponse } from '@berth/server-stubs/contract';
import { type CallRecord, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { type SurfaceError, toSurfaceError } from '../surface.ts';
import { refuse } from '../surfaces/responses.ts';
import type { FaultedCall } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultEffect, type FaultSubject } from './fault-rules.ts';

const HEADER = FAULT_HEADER.toLowerCase();

/**
 * Returns whether a call may have faults. If not, it needs no promise, and its operation is only looked up once.
 * Preflights have none, because after a failed preflight the browser would not send the actual request.
 */
export function mayHaveFaults({ headers, method }: IncomingMessage, { session }: CallRecord) {
  return (headers[HEADER] !== undefined || !session.faults.isEmpty) && method !== 'OPTIONS';
}

interface FaultedRequest {
  readonly request: IncomingMessage;
  readonly subject: FaultSubject;
  readonly response?: ServerResponse;
  /** For an upgrade, whose response is only created to reject it. Returns undefined if the caller has left. */
  createResponse?(): ServerResponse | undefined;
}

/** Applies the faults of the session and of the header, and calls `next` unless one of them has ended the call. */
export async function applyRequestFaults(
  call: FaultedRequest,
  options: ResolvedOptions,
  next: () => void,
): Promise<void> {
  const { request, subject, createResponse } = call;
  const { socket } = request;
  const record = recordOf(request);
  let { response } = call;
  const respond = (error: SurfaceError) => {
    response ??= createResponse?.();
    if (response === undefined) request.destroy();
    else if (!response.headersSent) void refuse(error, response, options);
  };
  let effects: readonly FaultEffect[];
  try {
    effects = record.session.faults.take(subject, request.headers[HEADER]?.toString());
  } catch (error) {
    if (!hasResponse(error)) throw error;
    record.identify(subject.operationId, subject.service);
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
    reset: () => socket.resetAndDestroy(),
    truncate(maxBytes) {
      // For an upgrade, `take` only returns this kind if another fault then rejects it.
      response ??= createResponse?.();
      if (response !== undefined) truncateBody(response, maxBytes);
    },
  };
  for (const { kind, value } of effects) {
    await kind.apply(value, faulted);
    if (!kind.endsCall && !faulted.signal.aborted) continue;
    // No router sees this call, so identify it here.
    record.identify(subject.operationId, subject.service);
    return;
  }
  // During a delay, broken data may have ended the call.
  if (!response?.headersSent) next();
}

type Done = (error?: Error | null) => void;

/** Closes the connection if the body exceeds a size. After several calls, the smallest size applies. */
function truncateBody(response: ServerResponse, maxBytes: number): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let left = maxBytes;
  const send = (chunk: Buffer, done: Done): boolean => {
    if (left < 0) return false;
    const sent = chunk.subarray(0, left);
    left -= chunk.length;
    if (left >= 0) return write(sent, done);
    // When this write completes, the head and everything before it have been sent.
    write(sent, (error) => {
      response.socket?.destroySoon();
      done(error);
    });
    return false;
  };
  response.write = ((...args: unknown[]) => send(...readArguments(args))) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    const [chunk, done] = readArguments(args);
    // Node discards the body of a response to HEAD.
    if (chunk.length > 0 && response.req.method !== 'HEAD') {
      // Node does the same for a response that is written in one piece.
      if (!response.headersSent && !response.hasHeader('content-length')) {
        response.setHeader('content-length', chunk.length);
      }
      send(chunk, () => {});
    }
    return left < 0 ? response : end(done);
  }) as typeof response.end;
}

/** Reads `(chunk, encoding, done)`, each of which is optional. */
function readArguments(args: unknown[]): [chunk: Buffer, done: Done] {
  const done = args.find((value): value is Done => typeof value === 'function') ?? (() => {});
  const [data, encoding] = args.filter((value) => typeof value !== 'function');
  const text = typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding) : undefined;
  return [text ?? Buffer.from((data ?? '') as Uint8Array), done];
}
