import { optionsError } from './errors.ts';

/** A body that can be read only once: a web stream, a Node stream or another async iterable. */
export type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>;

export function isStream(value: unknown): value is Stream {
  if (typeof value !== 'object' || value === null) return false;
  return 'getReader' in value || Symbol.asyncIterator in value;
}

/** Rejects a stream or `Request` that has been read, because it would be sent as if it were empty. */
export function assertUnread(body: object): void {
  const { readable, errored, bodyUsed } = body as Readonly<Record<string, unknown>>;
  // Reading a failed stream shows its own error, which is more helpful.
  let isRead = bodyUsed || (readable === false && !errored);
  try {
    // Only its error shows that a web stream is being read, or has been read before.
    if (body instanceof ReadableStream) void new Response(body);
  } catch {
    isRead = true;
  }
  if (isRead) throw optionsError('The body was already read.');
}

/** Runs a call. If it fails, closes the stream passed to it, even if unread. */
export async function closeOnFailure<T>(body: unknown, run: () => Promise<T>): Promise<T> {
  // Otherwise, a Node stream that fails before it is read would end the process. Reading it still fails.
  if (isStream(body) && 'on' in body) (body as NodeJS.ReadableStream).on('error', () => {});
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
