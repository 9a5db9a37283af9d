import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';

/**
 * Writes a body to a file: under another name beside it first, so that the file is whole or not there
 * at all, and an older one is kept until then.
 */
export async function saveFile(
  body: ReadableStream<Uint8Array> | null,
  file: string | URL,
): Promise<void> {
  const path = typeof file === 'string' ? file : fileURLToPath(file);
  const temporary = `${path}.${randomUUID()}.part`;
  const bytes = body ? Readable.fromWeb(body as WebStream) : Readable.from([]);
  try {
    await pipeline(bytes, createWriteStream(temporary, { flags: 'wx', flush: true }));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
