import type { IncomingMessage } from 'node:http';

/** The body is larger than the limit of its surface. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes.`);
    this.maxBytes = maxBytes;
  }
}

/**
 * Reads a whole body.
 *
 * @throws BodyTooLarge with the connection still open, so that it can be answered
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a whole body and keeps nothing of it. Throws like `readBody`. */
export async function skipBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  for await (const _ of chunksOf(request, maxBytes));
}

/** D13: "by Content-Length refused before …; chunked, … aborted at the limit." */
async function* chunksOf(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes);
  let size = 0;
  // Leaving a plain `for await` would destroy the socket before the refusal is written.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(maxBytes);
    yield chunk;
  }
}

/** Whether a request announces a body (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
