import type { Readable } from 'node:stream';
import { ServiceRefusal } from './service-refusal.ts';

/** Longest body that is read at once. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** @throws ServiceRefusal 413 */
export async function readBytes(body: Readable | undefined): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let size = 0;
  // Destroying the body would take the connection with it, and the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_TEXT_BYTES) {
      throw new ServiceRefusal(
        413,
        `The body is longer than ${MAX_TEXT_BYTES} bytes: read the stream call.body instead.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** @throws ServiceRefusal 400, 413 */
export async function readJson(body: Readable | undefined): Promise<unknown> {
  const text = (await readBytes(body)).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceRefusal(400, 'The body is no valid JSON.');
  }
}
