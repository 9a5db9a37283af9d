import { isUtf8 } from 'node:buffer';
import { contract as CONTRACT, type Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../../contract/surface.ts';
import type { ResolvedOptions } from '../../options.ts';
import type { JsonBody } from '../../session/logged-json.ts';

/** One message in a recording, with lower-case header names and without secrets. */
export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text if it is UTF-8. Absent if there is no body. */
  readonly body?: JsonBody;
}

/** Version of the file format. Recordings with any other version are rejected. */
export const FORMAT = 'berth-exchange-1';

export interface Recording {
  readonly format: typeof FORMAT;
  /** Hash of the mock's contract; absent for custom documents and in older recordings. */
  readonly contract?: string;
  readonly surface: SurfaceName;
  readonly operationId?: string;
  /** Time of the request (ISO 8601). */
  readonly at: string;
  /** Milliseconds until the response head, and until the end of the response. */
  readonly ms: { readonly head: number; readonly total: number };
  /** Base URL of the mock that recorded it; a replay replaces it with its own. */
  readonly origin: string;
  readonly request: RecordedMessage & { readonly method: string; readonly target: string };
  readonly response: RecordedMessage & { readonly status: number };
  /** Contract violations in the request and the response. */
  readonly violations: readonly Violation[];
  readonly responseViolations: readonly Violation[];
}

/** Thrown if a folder of recordings cannot be used. The message is one sentence. */
export class RecordingError extends TypeError {
  override readonly name = 'RecordingError';
}

/** Returns the hash of the contract that a mock serves, or `undefined` for custom documents. */
export function contractHashOf({
  contract,
}: Pick<ResolvedOptions, 'contract'>): string | undefined {
  return contract === undefined ? CONTRACT.sha256 : undefined;
}

/** Encodes bytes for a recording, as readable text if possible. */
export function toJsonBody(bytes: Buffer): JsonBody {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export function fromJsonBody(body: JsonBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}
