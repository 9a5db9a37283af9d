import { randomUUID } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';
import { toMultipart, type UploadForm } from './upload-form.ts';

export const hidesHeaders = false;

export async function fileSize(file: string | URL): Promise<number> {
  const found = await stat(file);
  if (found.isFile()) return found.size;
  throw new TypeError(`${String(file)} is not a file.`);
}

/** Opens a file for `FormData`. `fetch` reads it while sending. */
export function fileToBlob(file: string | URL): Promise<Blob> {
  return openAsBlob(file);
}

/**
 * Keeps a Node stream from crashing the process if it fails before anything reads it. The error still
 * surfaces when the stream is read.
 */
export function ignoreEarlyErrors(data: unknown): void {
  if (typeof data === 'object' && data && 'on' in data) {
    (data as { on(event: 'error', listener: () => void): void }).on('error', () => {});
  }
}

/**
 * Writes a body to a file. The body is written to a temporary file in the same folder, which then replaces
 * any existing file, so that the file is never incomplete.
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

/**
 * Encodes a form as bytes for the caller's own `fetch`. A package such as undici would send the
 * platform's `FormData` as text.
 */
export function toFetchBody(form: UploadForm, data: FormData): Blob {
  const { contentType, head, tail } = toMultipart(form, randomUUID());
  const parts = [head, data.get(form.fileField), tail] as Blob[];
  return new Blob(parts, { type: contentType });
}

/** Converts text or bytes to content of known size, without copying bytes. */
export function toSizedContent(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  return new Uint8Array(data);
}
