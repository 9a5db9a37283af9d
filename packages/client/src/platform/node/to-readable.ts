import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { UploadContent } from '../../upload/upload-form.ts';

/** Bytes that go to the socket at once: few calls for a large file, little memory. */
const CHUNK = 256 * 1024;

/** A content as a stream of Node, read no faster than it is sent. */
export function toReadable(data: UploadContent['data']): Readable {
  if (data instanceof Uint8Array) return Readable.from(slices(data));
  if (data instanceof Blob) return Readable.from(blobSlices(data));
  if (data instanceof Readable) return data;
  if (data instanceof ReadableStream) return Readable.fromWeb(data as WebStream);
  if ('file' in data) return createReadStream(data.file, { highWaterMark: CHUNK });
  return Readable.from(data as AsyncIterable<unknown>);
}

function* slices(bytes: Uint8Array) {
  for (let at = 0; at < bytes.byteLength; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** By slices, for the stream of a Blob may give all of it at once. */
async function* blobSlices(blob: Blob) {
  for (let at = 0; at < blob.size; at += CHUNK) {
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  }
}
