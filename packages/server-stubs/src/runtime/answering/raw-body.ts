import { Readable } from 'node:stream';

export function isStream(body: unknown): body is Readable | ReadableStream<Uint8Array> {
  return body instanceof Readable || body instanceof ReadableStream;
}

/** Whether a body is sent as it is; a text is only where its media type is not JSON. */
export function isBytes(body: unknown): body is Uint8Array | Readable | ReadableStream<Uint8Array> {
  return body instanceof Uint8Array || isStream(body);
}
