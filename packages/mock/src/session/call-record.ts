import { randomUUID } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../contract/surface.ts';
import type { Redactor } from './redactor.ts';
import type { LoggedRequest } from './request-log.ts';
import type { Session } from './session.ts';

/**
 * The first bytes of a body, and how many it has in all. They are kept as a text of one character for
 * each byte: unlike a view of one of Node's buffers, it holds on to nothing else and costs little.
 */
export class KeptBytes {
  /** All bytes, kept or not. */
  size = 0;
  #text = '';

  /** @param max most bytes that are kept */
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

  /** How many bytes are kept. */
  get keptSize(): number {
    // Makes one string of its pieces, each of which would be held in memory by itself.
    this.#text.charCodeAt(0);
    return this.#text.length;
  }

  /** Undefined where there is none. */
  get bytes(): Buffer | undefined {
    return this.#text === '' ? undefined : Buffer.from(this.#text, 'latin1');
  }

  /** Whether nothing was left out. */
  get isWhole(): boolean {
    return this.#text.length === this.size;
  }
}

const ID = /\r\nx-request-id: ([^\r]+)/i;

const NOTHING = new KeptBytes();

const NO_VIOLATIONS: readonly Violation[] = [];

/** What a call, and each violation, takes beside its texts; and a text beside its characters. */
const CALL_BYTES = 1_024;

const TEXT_BYTES = 32;

type Headers = LoggedRequest['request']['headers'];

/** What is known of one call while it is answered, and what of it the log keeps afterwards. */
export class CallRecord implements LoggedRequest {
  readonly session: Session;
  readonly at = Date.now();
  readonly surface: SurfaceName;
  id = '';
  operationId: string | undefined = undefined;
  service: string | undefined = undefined;
  matched = true;
  violations: readonly Violation[] = NO_VIOLATIONS;
  answerViolations: readonly Violation[] = NO_VIOLATIONS;
  faults: readonly string[] = [];
  /** Status of an upgrade, which Node makes no `ServerResponse` for. */
  status = 0;
  readonly #start = performance.now();
  readonly #redactor: Redactor;
  readonly #method: string;
  readonly #target: string;
  readonly #rawHeaders: readonly string[];
  readonly #requestBody: KeptBytes;
  #answer: { status: number; ms: number; head: string; kept: KeptBytes } | undefined;

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

  /** Enters the call into the log while its answer is on its way. */
  begin(id: string): void {
    this.id = id;
    this.session.requests.put(this, this.#bytes);
  }

  /**
   * Enters the call into the log with its answer, once.
   *
   * @param head of the answer, as it was sent
   */
  finish(status: number, head: string, kept = NOTHING): void {
    if (this.#answer !== undefined) return;
    this.#answer = { status, head, kept, ms: performance.now() - this.#start };
    if (this.id === '') this.id = ID.exec(head)?.[1] ?? randomUUID();
    this.session.requests.put(this, this.#bytes);
  }

  get request(): LoggedRequest['request'] {
    const { bytes, size } = this.#requestBody;
    return {
      method: this.#method,
      target: this.#redactor.target(this.#target),
      headers: this.#toHeaders(this.#rawHeaders),
      body: bytes && this.#redactor.request(this.surface, bytes),
      bodyBytes: size,
    };
  }

  get answer(): LoggedRequest['answer'] {
    if (this.#answer === undefined) return undefined;
    const { status, ms, head, kept } = this.#answer;
    const { bytes, size } = kept;
    return {
      status,
      ms,
      headers: this.#toHeaders(toPairs(head)),
      body: bytes && this.#redactor.answer(this.surface, bytes),
      bodyBytes: size,
    };
  }

  /** The beginning of the request's body; undefined where there is none, or not all of it was kept. */
  get wholeBody(): Buffer | undefined {
    return this.#requestBody.isWhole ? this.#requestBody.bytes : undefined;
  }

  /** What the call takes in memory, about. */
  get #bytes(): number {
    const texts = [this.#target, ...this.#rawHeaders, this.#answer?.head ?? ''];
    const violations = [...this.violations, ...this.answerViolations];
    return (
      texts.reduce((sum, text) => sum + TEXT_BYTES + text.length, CALL_BYTES) +
      violations.reduce((sum, { message }) => sum + CALL_BYTES + message.length, 0) +
      this.#requestBody.keptSize +
      (this.#answer?.kept.keptSize ?? 0)
    );
  }

  /** @param raw names and values in turn */
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

/** Bytes of a body that the log keeps. */
export const MAX_KEPT = 16 * 1024;

/** A request that remembers the beginning of its body as Node hands it over. */
export class RecordedRequest extends IncomingMessage {
  readonly kept = new KeptBytes();
  /** Set when the call begins. */
  record: CallRecord | undefined = undefined;

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk !== null) this.kept.add(chunk, encoding, MAX_KEPT);
    return super.push(chunk, encoding);
  }
}

/** The record of the call that a request began. */
export function recordOf(request: IncomingMessage): CallRecord {
  const { record } = request as RecordedRequest;
  if (record === undefined) throw new TypeError('The request belongs to no call of the mock.');
  return record;
}

/** Names and values of a head, without its first line. */
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
