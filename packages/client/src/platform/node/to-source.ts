import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { isUint8Array } from 'node:util/types';
import type { UploadContent } from '../../upload/upload-form.ts';
import { openFile, type Source } from './open-file.ts';

/** Bytes that go to the socket at once. */
const CHUNK = 256 * 1024;

/** A content as a stream of Node, read no faster than it is sent. */
export function toSource(data: UploadContent['data']): Source {
  if (isUint8Array(data)) return { stream: Readable.from(slices(data)) };
  if (data instanceof Blob) return { stream: Readable.from(blobSlices(data)) };
  if (data instanceof Readable) return { stream: data };
  if (data instanceof ReadableStream) return { stream: Readable.fromWeb(data as WebStream) };
  if ('file' in data) return openFile(data.file);
  return { stream: Readable.from(data as AsyncIterable<unknown>) };
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
