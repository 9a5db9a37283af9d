import { isUtf8 } from 'node:buffer';
import { contract as CONTRACT, type Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../../contract/surface.ts';
import type { ResolvedOptions } from '../../options.ts';
import type { JsonBody } from '../../session/logged-json.ts';

/** One message of a recording: names in lower case, secrets left out. */
export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text if it is UTF-8. Absent if there is none. */
  readonly body?: JsonBody;
}

/** Version of the file format; other versions are rejected. */
export const FORMAT = 'berth-exchange-1';

export interface Recording {
  readonly format: typeof FORMAT;
  /** Hash of the mock's contract; absent for custom documents, and in older recordings. */
  readonly contract?: string;
  readonly surface: SurfaceName;
  readonly operationId?: string;
  /** Time of the request (ISO 8601). */
  readonly at: string;
  /** Milliseconds until the head of the response, and until its end. */
  readonly ms: { readonly head: number; readonly total: number };
  /** Base URL of the mock at that time; a replay replaces it with its own. */
  readonly origin: string;
  readonly request: RecordedMessage & { readonly method: string; readonly target: string };
  readonly answer: RecordedMessage & { readonly status: number };
  /** Violations of the contract in the request and the response. */
  readonly violations: readonly Violation[];
  readonly answerViolations: readonly Violation[];
}

/** A recordings folder that cannot be used, described in one sentence. */
export class RecordingError extends TypeError {
  override readonly name = 'RecordingError';
}

/** Hash of the contract that a mock serves; undefined for custom documents. */
export function contractHashOf({
  contract,
}: Pick<ResolvedOptions, 'contract'>): string | undefined {
  return contract === undefined ? CONTRACT.sha256 : undefined;
}

/** Bytes in a recording: readable if they are text. */
export function toJsonBody(bytes: Buffer): JsonBody {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export function fromJsonBody(body: JsonBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}
