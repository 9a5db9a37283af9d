import { ServerResponse } from 'node:http';
import { type CallRecord, KeptBytes, MAX_KEPT } from './call-record.ts';

const RECORD = Symbol('record of the call');

const KEPT = Symbol('beginning of the body');

type Recorded = ServerResponse & { [RECORD]: CallRecord; [KEPT]: KeptBytes };

type Chunk = string | Uint8Array | null | undefined | (() => void);

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

const { write, end } = ServerResponse.prototype as unknown as Record<
  'write' | 'end',
  (this: ServerResponse, ...given: Rest) => never
>;

/**
 * Keeps the beginning of a response body, and notifies the call's record when the response ends. The methods
 * are set on the response itself rather than in a subclass, because the routers are fastest with a plain
 * response.
 */
export function recordResponse(response: ServerResponse, record: CallRecord): void {
  const recorded = response as Recorded;
  recorded[RECORD] = record;
  recorded[KEPT] = new KeptBytes();
  recorded.write = keepAndWrite;
  recorded.end = keepAndEnd;
  // If the client disconnects, the response never finishes.
  response.on('close', finish);
}

/** Returns whether the end of a response is reported to the call's record. */
export function isRecorded(response: ServerResponse): boolean {
  return (response as Partial<Recorded>)[RECORD] !== undefined;
}

function keepAndWrite(this: ServerResponse, chunk: Chunk, ...rest: Rest): boolean {
  keep(this as Recorded, chunk, rest[0]);
  return write.call(this, chunk, ...rest);
}

function keepAndEnd(this: ServerResponse, chunk?: Chunk, ...rest: Rest): never {
  keep(this as Recorded, chunk, rest[0]);
  flatten(headOf(this));
  const result = end.call(this, chunk, ...rest);
  finish.call(this);
  return result;
}

function finish(this: ServerResponse): void {
  const { [RECORD]: record, [KEPT]: kept, statusCode } = this as Recorded;
  record.finish(statusCode, headOf(this), kept);
}

/** Returns the head as sent; Node stores the headers passed to `writeHead` nowhere else. */
function headOf(response: ServerResponse): string {
  return (response as ServerResponse & { readonly _header?: string | null })._header ?? '';
}

/** Flattens a string that Node has concatenated, whose pieces the log would otherwise keep in memory. */
function flatten(text: string): void {
  text.charCodeAt(0);
}

function keep(response: Recorded, chunk: Chunk, encoding: unknown): void {
  // Node discards the body of a response to HEAD.
  if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
  if (response.req.method === 'HEAD') return;
  const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
  response[KEPT].add(chunk, known, MAX_KEPT);
}
