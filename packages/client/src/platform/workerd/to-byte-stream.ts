import type { UploadContent } from '../../upload/upload-form.ts';

/** Bytes that are copied at once. */
const CHUNK = 256 * 1024;

/** What the types of the DOM do not know yet. */
const Streams = ReadableStream as unknown as {
  from(data: AsyncIterable<unknown>): ReadableStream<unknown>;
};

/** A content as a stream, read no faster than it is sent. Files of the disk are refused before. */
export function toByteStream(data: UploadContent['data']): ReadableStream<unknown> {
  if (data instanceof ReadableStream) return data;
  return Streams.from(data instanceof Blob ? slicesOf(data) : (data as AsyncIterable<unknown>));
}

/** By slices, for the stream of a Blob gives little at a time. */
async function* slicesOf(blob: Blob) {
  for (let at = 0; at < blob.size; at += CHUNK) {
    yield new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
  }
}
