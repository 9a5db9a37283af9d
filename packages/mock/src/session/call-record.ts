import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../contract/surface.ts';
import { type Redactor, toHeaders } from './redactor.ts';
import type { LoggedMessage, LoggedRequest } from './request-log.ts';
import type { Session } from './session.ts';

/** The first bytes of a body, and its total length. */
export class KeptBytes {
  /** Total length, including bytes that were not kept. */
  size = 0;
  keptSize = 0;
  readonly #chunks: Buffer[] = [];

  /** @param max maximum number of bytes to keep */
  add(chunk: Uint8Array | string, encoding: BufferEncoding | undefined, max: number): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.size += bytes.length;
    if (this.keptSize >= max) return;
    // A copy: a view would keep the complete buffer alive.
    const kept = Buffer.from(bytes.subarray(0, max - this.keptSize));
    this.keptSize += kept.length;
    this.#chunks.push(kept);
  }

  /** Undefined if there is no body. */
  get bytes(): Buffer | undefined {
    return this.keptSize === 0 ? undefined : Buffer.concat(this.#chunks);
  }

  get isWhole(): boolean {
    return this.keptSize === this.size;
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
  faults: readonly string[] = [];
  /** Status of an upgrade, which has no `ServerResponse` in Node. */
  status = 0;
  readonly #start = performance.now();
  readonly #redactor: Redactor;
  readonly #method: string;
  readonly #target: string;
  readonly #rawHeaders: readonly string[];
  readonly #requestBody: KeptBytes;
  #response: { status: number; ms: number; head: Buffer; kept: KeptBytes } | undefined;

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
    const ms = performance.now() - this.#start;
    // Node concatenates the head from many strings, which would all stay in memory.
    this.#response = { status, head: Buffer.from(head, 'latin1'), kept, ms };
    if (this.id === '') this.id = ID.exec(head)?.[1] ?? randomUUID();
    this.session.requests.put(this, this.#bytes);
  }

  get request(): LoggedRequest['request'] {
    const message = toMessage(
      this.#requestBody,
      () => toHeaders(this.#rawHeaders, this.#redactor.header),
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
      () => toHeaders(toPairs(head.toString('latin1')), this.#redactor.header),
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
    return (
      texts.reduce((sum, text) => sum + TEXT_BYTES + text.length, CALL_BYTES) +
      this.violations.reduce((sum, { message }) => sum + CALL_BYTES + message.length, 0) +
      this.#requestBody.keptSize +
      (this.#response?.kept.keptSize ?? 0)
    );
  }
}

/** Headers and body are computed when they are read: the line that is printed for a call needs neither. */
function toMessage(
  kept: KeptBytes,
  readHeaders: () => Headers,
  redact: (body: Uint8Array) => Uint8Array,
): LoggedMessage {
  return {
    get headers() {
      return readHeaders();
    },
    get body() {
      const { bytes } = kept;
      return bytes && redact(bytes);
    },
    bodyBytes: kept.size,
  };
}

const MAX_KEPT = 16 * 1024;

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

type Chunk = string | Uint8Array | null | undefined | (() => void);

// biome-ignore lint/suspicious/noExplicitAny: the overloads of Node
type Rest = any[];

/** A response that keeps the beginning of its body, and completes the call's record when it ends. */
export class RecordedResponse extends ServerResponse<RecordedRequest> {
  readonly #kept = new KeptBytes();
  #record: CallRecord | undefined;

  set record(record: CallRecord) {
    this.#record = record;
    // If the client disconnects, the response never finishes.
    this.on('close', () => this.#finish());
  }

  override write(chunk: Chunk, ...rest: Rest): boolean {
    this.#keep(chunk, rest[0]);
    return super.write(chunk, ...(rest as []));
  }

  override end(chunk?: Chunk, ...rest: Rest): this {
    this.#keep(chunk, rest[0]);
    super.end(chunk, ...(rest as []));
    this.#finish();
    return this;
  }

  #keep(chunk: Chunk, encoding: unknown): void {
    // Node discards the body of a response to HEAD.
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    if (this.req.method === 'HEAD') return;
    const known = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
    this.#kept.add(chunk, known, MAX_KEPT);
  }

  #finish(): void {
    // Node stores the headers passed to `writeHead` nowhere else.
    const { _header: head } = this as { _header?: string | null };
    this.#record?.finish(this.statusCode, head ?? '', this.#kept);
  }
}
