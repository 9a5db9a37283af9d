import { isUtf8 } from 'node:buffer';
import { contract as CONTRACT, type Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../../contract/surface.ts';
import type { ResolvedOptions } from '../../options.ts';
import type { JsonBody } from '../../session/logged-json.ts';

/** One message as a file keeps it: names in lower case, secrets left out. */
export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text where it is UTF-8. Absent where there is none. */
  readonly body?: JsonBody;
}

/** The form of the files; another one is refused. */
export const FORMAT = 'berth-exchange-1';

export interface Recording {
  readonly format: typeof FORMAT;
  /** Hash of the contract of the mock that made it; absent for own documents, and before there was one. */
  readonly contract?: string;
  readonly surface: SurfaceName;
  readonly operationId?: string;
  /** When the call came (ISO 8601). */
  readonly at: string;
  /** Milliseconds until the head of the answer, and until its end. */
  readonly ms: { readonly head: number; readonly total: number };
  /** Address of the mock at that time; a replay puts its own in its place. */
  readonly origin: string;
  readonly request: RecordedMessage & { readonly method: string; readonly target: string };
  readonly answer: RecordedMessage & { readonly status: number };
  /** What of the request, and of the answer, breaks the contract. */
  readonly violations: readonly Violation[];
  readonly answerViolations: readonly Violation[];
}

/** A folder of recordings that cannot be used, in one sentence. */
export class RecordingError extends TypeError {
  override readonly name = 'RecordingError';
}

/** Hash of the contract that a mock serves; undefined for own documents. */
export function contractHashOf({
  contract,
}: Pick<ResolvedOptions, 'contract'>): string | undefined {
  return contract === undefined ? CONTRACT.sha256 : undefined;
}

/** Bytes as a file keeps them: readable where they are text. */
export function toJsonBody(bytes: Buffer): JsonBody {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export function fromJsonBody(body: JsonBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}
