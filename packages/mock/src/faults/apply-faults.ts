import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasResponse } from '@berth/server-stubs/contract';
import { recordOf } from '../log.ts';
import { type SurfaceError, toSurfaceError } from '../surfaces/surface.ts';
import type { BodyEdit, FaultedCall } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultEffect } from './fault-rules.ts';

const HEADER = FAULT_HEADER.toLowerCase();

/** The request and the response of a call that no router has seen yet. */
export interface Exchange {
  readonly request: IncomingMessage;
  /** Undefined for an upgrade. */
  readonly response?: ServerResponse;
  sendError(error: SurfaceError): void | Promise<void>;
}

/** Applies the faults of the session and of the header, and calls `next` unless one of them has ended the call. */
export async function applyFaults(
  { request, response, sendError }: Exchange,
  next: () => void,
): Promise<void> {
  const { socket } = request;
  const record = recordOf(request);
  const hasBody = response !== undefined && request.method !== 'HEAD';
  const header = request.headers[HEADER]?.toString();
  let effects: readonly FaultEffect[];
  try {
    effects = record.session.faults.selectEffects(record, hasBody, header);
  } catch (error) {
    if (!hasResponse(error)) throw error;
    return sendError(error as SurfaceError);
  }
  if (effects.length === 0) return next();
  record.faults = [...new Set(effects.map(({ rule }) => rule.name))];
  const disconnected = new AbortController();
  (response ?? socket).once('close', () => disconnected.abort());
  const faulted: FaultedCall = {
    signal: disconnected.signal,
    sendError: (code) => void sendError(toSurfaceError(record.surface, code)),
    reset: () => socket.resetAndDestroy(),
    editBody: (edit) => response && editBody(response, edit),
  };
  for (const { kind, value } of effects) {
    await kind.apply(value, faulted);
    if (kind.endsCall || faulted.signal.aborted) return;
  }
  // During a delay, an invalid or aborted request may have ended the call.
  if (!response?.headersSent) next();
}

type Done = (error?: Error | null) => void;

/** Replaces `write` and `end`. Of several edits, the last one sees each chunk first. */
function editBody(response: ServerResponse, edit: BodyEdit): void {
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  let isClosed = false;
  const send = (chunk: Buffer, done: Done): boolean => {
    if (isClosed) return false;
    const { sent, isLast } = edit(chunk);
    isClosed = isLast;
    if (!isLast) return write(sent, done);
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
    if (chunk.length > 0) {
      // Node does the same for a response that is written in one piece.
      if (!response.headersSent && !response.hasHeader('content-length')) {
        response.setHeader('content-length', chunk.length);
      }
      send(chunk, () => {});
    }
    return isClosed ? response : end(done);
  }) as typeof response.end;
}

/** Reads `(chunk, encoding, done)`, each of which is optional. */
function readArguments(args: unknown[]): [chunk: Buffer, done: Done] {
  const done = args.find((value): value is Done => typeof value === 'function') ?? (() => {});
  const [data, encoding] = args.filter((value) => typeof value !== 'function');
  const text = typeof data === 'string' ? Buffer.from(data, encoding as BufferEncoding) : undefined;
  return [text ?? Buffer.from((data ?? '') as Uint8Array), done];
}
