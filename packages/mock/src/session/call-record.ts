import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../contract/surface.ts';
import type { Redactor } from './redactor.ts';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';
import type { Session } from './session.ts';

/**
 * The first bytes of a body, and its total length. The bytes are kept as a string with one character per
 * byte. Unlike a view of one of Node's buffers, a string is cheap and keeps no other memory alive.
 */
export class KeptBytes {
  /** Total length, including bytes that were not kept. */
  size = 0;
  #text = '';

  /** @param max maximum number of bytes to keep */
  add(chunk: Uint8Array | string, encoding: BufferEncoding | undefined, max: number): void {
    const bytes =
      typeof chunk !== 'string' || encoding === 'latin1' ? chunk : Buffer.from(chunk, encoding);
    this.size += bytes.length;
    const room = max - this.#text.length;
    if (room <= 0) return;
    this.#text +=
      typeof bytes === 'string'
        ? bytes.slice(0, room)
        : toBuffer(bytes).toString('latin1', 0, room);
  }

  get keptSize(): number {
    // Flattens the string, whose pieces would otherwise stay in memory one by one.
    this.#text.charCodeAt(0);
    return this.#text.length;
  }

  /** Undefined if there is no body. */
  get bytes(): Buffer | undefined {
    return this.#text === '' ? undefined : Buffer.from(this.#text, 'latin1');
  }

  get isWhole(): boolean {
    return this.#text.length === this.size;
  }
}

const ID = /\r\nx-request-id: ([^\r]+)/i;

const NOTHING = new KeptBytes();

const NO_VIOLATIONS: readonly Violation[] = [];

/** Overhead in bytes: of a call, of each violation, and of a string. */
const CALL_BYTES = 1_024;

const TEXT_BYTES = 32;

type Headers = LoggedRequest['request']['headers'];

export class CallRecord implements LoggedRequest {
  readonly session: Session;
  readonly at = Date.now();
  readonly surface: SurfaceName;
  id = '';
  operationId: string | undefined = undefined;
  service: string | undefined = undefined;
  matched = true;
  violations: readonly Violation[] = NO_VIOLATIONS;
  responseViolations: readonly Violation[] = NO_VIOLATIONS;
  faults: readonly string[] = [];
  /** Status of an upgrade, which has no `ServerResponse` in Node. */
  status = 0;
  readonly #start = performance.now();
  readonly #redactor: Redactor;
  readonly #method: string;
  readonly #target: string;
  readonly #rawHeaders: readonly string[];
  readonly #requestBody: KeptBytes;
  #response: { status: number; ms: number; head: string; kept: KeptBytes } | undefined;

  constructor(
    session: Session,
    surface: SurfaceName,
    request: IncomingMessage & { readonly kept?: KeptBytes },
    redactor: Redactor,
  ) {
    this.session = session;
    this.surface = surface;
    this.#redactor = redactor;
    this.#method = request.method ?? 'GET';
    this.#target = request.url ?? '/';
    this.#rawHeaders = request.rawHeaders;
    this.#requestBody = request.kept ?? new KeptBytes();
  }

  /** Adds the call to the log before its response. */
  begin(id: string): void {
    this.id = id;
    this.session.requests.put(this, this.#bytes);
  }

  /**
   * Adds the call with its response to the log, once.
   *
   * @param head response head, as sent
   */
  finish(status: number, head: string, kept = NOTHING): void {
    if (this.#response !== undefined) return;
    this.#response = { status, head, kept, ms: performance.now() - this.#start };
    if (this.id === '') this.id = ID.exec(head)?.[1] ?? randomUUID();
    this.session.requests.put(this, this.#bytes);
  }

  get request(): LoggedRequest['request'] {
    const message = toMessage(
      this.#requestBody,
      () => this.#toHeaders(this.#rawHeaders),
      (body) => this.#redactor.request(this.surface, body),
    );
    const target = this.#redactor.target(this.#target);
    return Object.assign(message, { method: this.#method, target });
  }

  get response(): LoggedRequest['response'] {
    if (this.#response === undefined) return undefined;
    const { status, ms, head, kept } = this.#response;
    const message = toMessage(
      kept,
      () => this.#toHeaders(toPairs(head)),
      (body) => this.#redactor.response(this.surface, body),
    );
    return Object.assign(message, { status, ms });
  }

  /** The beginning of the request body; undefined if there is none, or if it was not kept completely. */
  get wholeBody(): Buffer | undefined {
    return this.#requestBody.isWhole ? this.#requestBody.bytes : undefined;
  }

  get #bytes(): number {
    const texts = [this.#target, ...this.#rawHeaders, this.#response?.head ?? ''];
    const violations = [...this.violations, ...this.responseViolations];
    return (
      texts.reduce((sum, text) => sum + TEXT_BYTES + text.length, CALL_BYTES) +
      violations.reduce((sum, { message }) => sum + CALL_BYTES + message.length, 0) +
      this.#requestBody.keptSize +
      (this.#response?.kept.keptSize ?? 0)
    );
  }

  /** @param raw alternating names and values */
  #toHeaders(raw: readonly string[]): Headers {
    const headers: Record<string, string | string[]> = Object.create(null);
    for (let at = 0; at < raw.length; at += 2) {
      const name = (raw[at] as string).toLowerCase();
      const value = this.#redactor.header(name, raw[at + 1] as string);
      const known = headers[name];
      headers[name] = known === undefined ? value : [known, value].flat();
    }
    return headers;
  }
}

/** Headers and body are computed when they are read: the line that is printed for a call needs neither. */
function toMessage(
  kept: KeptBytes,
  toHeaders: () => Headers,
  redact: (body: Uint8Array) => Uint8Array,
): LoggedMessage {
  return {
    get headers() {
      return toHeaders();
    },
    get body() {
      const { bytes } = kept;
      return bytes && redact(bytes);
    },
    bodyBytes: kept.size,
  };
}

export const MAX_KEPT = 16 * 1024;

/** A request that keeps the beginning of its body while Node delivers it. */
export class RecordedRequest extends IncomingMessage {
  readonly kept = new KeptBytes();
  /** Set when the call begins. */
  record: CallRecord | undefined = undefined;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.kept.add(chunk, encoding, MAX_KEPT);
    return super.push(chunk, encoding);
  }
}

export function recordOf(request: IncomingMessage): CallRecord {
  const { record } = request as RecordedRequest;
  if (record === undefined)
    throw new TypeError('The request does not belong to any call to the mock.');
  return record;
}

/** Returns the names and values in a head, without its first line. */
function toPairs(head: string): string[] {
  return head
    .split('\r\n')
    .slice(1)
    .filter((line) => line !== '')
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

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
