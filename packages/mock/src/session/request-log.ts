import { isUtf8 } from 'node:buffer';
import type { Violation } from '@berth/server-stubs';
import { parseJson } from '../util/values.ts';

export interface LoggedMessage {
  /** Names in lower case; credentials are redacted. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** First bytes of the body; undefined if there is none. */
  readonly body: Uint8Array | undefined;
  readonly bodyBytes: number;
}

/** One call in its session's log. */
export interface LoggedRequest {
  /** The response's `X-Request-Id`. */
  readonly id: string;
  /** Milliseconds since the epoch, by the machine's clock. */
  readonly at: number;
  readonly surface: 'gateway' | 'storage' | 'upload' | 'link';
  /** The contract's `operationId`; undefined if no operation matched. */
  readonly operationId: string | undefined;
  /** Hosted service that a gateway call was for. */
  readonly service: string | undefined;
  /** Whether the mock handles such a call: with an operation and, for a defined service, a route. */
  readonly matched: boolean;
  readonly request: LoggedMessage & { readonly method: string; readonly target: string };
  /** Undefined until the response is complete. */
  readonly response: (LoggedMessage & { readonly status: number; readonly ms: number }) | undefined;
  /** How the request breaks the contract, with the location in the contract. */
  readonly violations: readonly Violation[];
  /** Names of the faults that were applied. */
  readonly faults: readonly string[];
}

/** Maximum number of calls in a log; the oldest are dropped. */
const CAPACITY = 1_000;

/** Maximum total size of all logs, in bytes; the oldest calls are dropped, whichever log they are in. */
const MAX_BYTES = 64 * 1024 * 1024;

export class LogRoom {
  readonly #maxBytes: number;
  // A Map keeps insertion order, so the first entry is the oldest.
  readonly #calls = new Map<LoggedRequest, { readonly bytes: number; forget(): void }>();
  #used = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a call, or its new size, and drops the oldest calls until all fit. */
  keep(request: LoggedRequest, bytes: number, forget: () => void): void {
    this.#used += bytes - (this.#calls.get(request)?.bytes ?? 0);
    this.#calls.set(request, { bytes, forget });
    for (const [oldest, call] of this.#calls) {
      if (this.#used <= this.#maxBytes) return;
      this.drop(oldest);
      call.forget();
    }
  }

  /** Stops counting a call. */
  drop(request: LoggedRequest): void {
    this.#used -= this.#calls.get(request)?.bytes ?? 0;
    this.#calls.delete(request);
  }
}

/** The latest calls in a session. The oldest calls are dropped first. */
export class RequestLog {
  readonly #room: LogRoom;
  readonly #capacity: number;
  readonly #calls = new Map<string, LoggedRequest>();
  readonly #onCall: (request: LoggedRequest) => void;

  /**
   * @param room memory limit that is shared with other logs
   * @param onCall called for each new or changed call
   * @param capacity maximum number of calls
   */
  constructor(
    room = new LogRoom(),
    onCall: (request: LoggedRequest) => void = () => {},
    capacity = CAPACITY,
  ) {
    this.#room = room;
    this.#onCall = onCall;
    this.#capacity = capacity;
  }

  /**
   * Adds a call, or replaces the call with the same ID, and reports it.
   *
   * @param bytes size in memory
   */
  put(request: LoggedRequest, bytes = 0): void {
    const { id } = request;
    const known = this.#calls.get(id);
    if (known !== undefined && known !== request) this.#room.drop(known);
    this.#calls.set(id, request);
    this.#room.keep(request, bytes, () => this.#calls.delete(id));
    const [oldest] = this.#calls.size > this.#capacity ? this.#calls : [];
    if (oldest !== undefined) {
      this.#calls.delete(oldest[0]);
      this.#room.drop(oldest[1]);
    }
    this.#onCall(request);
  }

  /** Oldest first. */
  list(): readonly LoggedRequest[] {
    return [...this.#calls.values()];
  }

  clear(): void {
    for (const request of this.#calls.values()) this.#room.drop(request);
    this.#calls.clear();
  }
}

/** The beginning of a body, as text if it is UTF-8. */
type JsonBody = { readonly text: string } | { readonly base64: string };

type ToJson<Message extends LoggedMessage> = Omit<Message, 'body'> & { readonly body?: JsonBody };

export interface LoggedJson extends Omit<LoggedRequest, 'request' | 'response'> {
  /** Why the call was refused. */
  readonly reason: string | undefined;
  readonly request: ToJson<LoggedRequest['request']>;
  readonly response?: ToJson<NonNullable<LoggedRequest['response']>>;
}

/**
 * Converts a logged call to JSON field by field, because the call may have fields that the log does not show.
 */
export function toLoggedJson(logged: LoggedRequest): LoggedJson {
  const { id, at, surface, operationId, service, matched, response } = logged;
  const { violations, faults } = logged;
  return {
    id,
    at,
    surface,
    operationId,
    service,
    matched,
    request: toMessage(logged.request),
    ...(response !== undefined && { response: toMessage(response) }),
    reason: findReason(logged),
    violations,
    faults,
  };
}

function toMessage<Message extends LoggedMessage>(message: Message): ToJson<Message> {
  const { body, ...others } = message;
  return { ...others, ...(body !== undefined && { body: toBody(body, others.bodyBytes) }) };
}

function toBody(body: Uint8Array, bodyBytes: number): JsonBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The kept part of a longer body may end in the middle of a character.
  const whole = bodyBytes > bytes.length ? bytes.subarray(0, endOfText(bytes)) : bytes;
  return isUtf8(whole) ? { text: whole.toString() } : { base64: bytes.toString('base64') };
}

function endOfText(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns why the mock refused a call: what breaks the contract, or the code and message of the error. */
export function findReason({ violations, response }: LoggedRequest): string | undefined {
  if (response === undefined || response.status < 400) return undefined;
  if (violations.length > 0) return violations.map(({ message }) => message).join(' ');
  const text = Buffer.from(response.body ?? []).toString();
  const parts = ['code', 'message'].map((name) => findText(text, name));
  return parts.filter((part) => part !== undefined).join(': ') || undefined;
}

/** Returns the text of a field, in JSON or XML, of which only the beginning may be known. */
function findText(body: string, name: string): string | undefined {
  const json = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(body)?.[1];
  if (json === undefined) return new RegExp(`<${name}>([^<]*)<`, 'i').exec(body)?.[1];
  return parseJson(json) as string | undefined;
}
