import { isUtf8 } from 'node:buffer';
import type { JsonBody } from '../requests/to-logged-json.ts';

/** Bytes as a file keeps them: readable where they are text. */
export function toJsonBody(bytes: Buffer): JsonBody {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export function fromJsonBody(body: JsonBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}
