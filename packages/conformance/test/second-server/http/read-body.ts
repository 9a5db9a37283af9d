import type { IncomingMessage } from 'node:http';

/**
 * The whole body; `undefined` where it is larger than `most` bytes. Such a body is read to its end and
 * thrown away, so that the caller gets its refusal. Rejects where the caller goes away before the end.
 */
export async function readBody(
  request: IncomingMessage,
  most: number,
): Promise<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most) chunks = [];
    else chunks.push(chunk);
  }
  return size > most ? undefined : Buffer.concat(chunks);
}
