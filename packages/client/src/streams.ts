import { BerthError } from './errors.ts';

/** A body that can be read only once: a web stream, a Node stream or another async iterable. */
export type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

export function isStream(value: unknown): value is Stream {
  if (typeof value !== 'object' || value === null) return false;
  return 'getReader' in value || Symbol.asyncIterator in value;
}

/** Rejects a stream that has been read, because it would be sent as if it were empty. */
export function assertUnread(stream: object): void {
  const { readable, errored } = stream as Readonly<Record<string, unknown>>;
  // Reading a failed stream shows its own error, which is more helpful.
  let isRead = readable === false && !errored;
  try {
    // Only its error shows that a web stream is being read, or has been read before.
    if (stream instanceof ReadableStream) void new Response(stream);
  } catch {
    isRead = true;
  }
  if (isRead) throw new BerthError('options', 'The stream has already been read.');
}

/** Runs a call. If it fails, closes the stream it was given, even if unread. */
export async function closeOnFailure<T>(body: unknown, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    discard(body);
    throw error;
  }
}

export function discard(body: unknown): void {
  if (!isStream(body)) return;
  if ('destroy' in body) (body as unknown as { destroy(): void }).destroy();
  else if ('cancel' in body && !body.locked) body.cancel().catch(() => {});
}

/** Keeps a Node stream that fails before it is read from ending the process. Reading it then fails in the same way. */
export function ignoreEarlyErrors(stream: unknown): void {
  if (isStream(stream) && 'on' in stream) (stream as NodeJS.ReadableStream).on('error', () => {});
}
