import { isRecord } from './is-record.ts';

/** The body of a POST and its media type: JSON, but for what `fetch` sends by itself. */
export function toBody(value: unknown): { body?: RequestInit['body']; type?: string } {
  if (value === undefined) return {};
  const isSentAsIs =
    typeof value === 'string' ||
    isStream(value) ||
    ArrayBuffer.isView(value) ||
    [ArrayBuffer, Blob, FormData, URLSearchParams].some((kind) => value instanceof kind);
  if (isStream(value)) {
    // Firefox knows no streams as a body, and would send the text "[object ReadableStream]".
    value.toString = () => {
      throw new TypeError('fetch would send this stream as a text.');
    };
  }
  if (isSentAsIs) return { body: value as RequestInit['body'] };
  return { body: JSON.stringify(value), type: 'application/json' };
}

/** Whether a body can be read only once: a web stream, or a stream of Node. */
export function isStream(
  value: unknown,
): value is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> {
  return isRecord(value) && ('getReader' in value || Symbol.asyncIterator in value);
}
