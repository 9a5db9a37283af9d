import type { FetchLike } from '../call-options.ts';
import type { Step } from '../internal/deadline.ts';

/**
 * A local file, in Node. It is streamed, not loaded into memory, and can be sent again if
 * an attempt fails. A plain string is content, not a path.
 *
 * @example
 * await storage.upload('videos/a.mp4', { file: './a.mp4' });
 */
export interface FileSource {
  /** Path or `file:` URL of the file. */
  readonly file: string | URL;
}

/**
 * Data that can be uploaded: bytes, a string (sent as UTF-8), a web stream or Node stream, any other iterable
 * of bytes or strings, or a local file.
 *
 * Node streams the content. Browsers cannot send a stream over HTTP/1.1, so they first buffer
 * it in memory, up to `maxBytes`.
 */
export type UploadData =
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | FileSource;

/** An upload's content, and what is known about it before it is read. */
export interface UploadContent {
  readonly data:
    | Blob
    | Uint8Array
    | ReadableStream<Uint8Array>
    | AsyncIterable<Uint8Array | string>
    | FileSource;
  /** Size in bytes; `undefined` if it is a stream of unknown size. */
  readonly size: number | undefined;
  readonly maxBytes: number;
  readonly type: string;
  /** Whether the content can be read again for another attempt. */
  readonly isReplayable: boolean;
}

/** An upload's POST request. `url` and `fields` are secret. */
export interface UploadForm {
  /** The returned `url`, to post to without changing its path and query (D2). */
  readonly url: string;
  /** All fields before the file, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Name of the last field, which contains the file. */
  readonly fileField: string;
  readonly fileName: string;
  readonly content: UploadContent;
  /** Called with the number of bytes sent, if progress is wanted. */
  readonly report: ((loaded: number) => void) | undefined;
  /** Aborts the upload if it makes no progress. Also aborted when the upload has failed. */
  readonly limits: Step;
  /** Maximum time without progress, in milliseconds. 0 means no limit. */
  readonly idle: number;
  /** Creates the error for a failed connection or, without a cause, for the `idle` timeout. */
  fail(cause?: unknown): Error;
  readonly fetch: FetchLike;
  /** An `Agent` of `node:http` or `node:https`. */
  readonly agent: object | undefined;
}

export interface UploadResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Checks that the content has at most `maxBytes`, and exactly `size` bytes if `size` is set, because
 * `Content-Length` has already been sent (RFC 9110, section 8.6).
 *
 * @param read number of bytes read so far
 * @throws RangeError
 */
export function assertLength(
  { size, maxBytes }: Pick<UploadContent, 'size' | 'maxBytes'>,
  read: number,
  isEnd: boolean,
): void {
  if (read > maxBytes)
    throw new RangeError(`The content is larger than maxBytes (${maxBytes} bytes).`);
  if (size === undefined || (isEnd ? read === size : read <= size)) return;
  throw new RangeError(
    `The content is ${isEnd ? 'smaller' : 'larger'} than the given size (${size} bytes).`,
  );
}

/** The bytes that precede and follow the file in a multipart form. */
export interface Multipart {
  readonly contentType: string;
  readonly head: Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

/**
 * Creates the bytes that precede and follow the file in a multipart form (RFC 7578), as `FormData` would
 * encode them.
 *
 * @param id unique text for the boundary
 */
export function toMultipart(
  {
    fields,
    fileField,
    fileName,
    content,
  }: Pick<UploadForm, 'fields' | 'fileField' | 'fileName'> & {
    readonly content: { readonly type: string };
  },
  id: string,
): Multipart {
  const boundary = `berth-${id}`;
  const encoder = new TextEncoder();
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${rest}\r\n`;
  const head = fields.map(([name, value]) => `${part(name, '\r\n')}${value}\r\n`).join('');
  const file = part(
    fileField,
    `; filename="${escapeName(fileName)}"\r\nContent-Type: ${content.type.replace(/[\r\n]+/g, ' ')}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: encoder.encode(head + file),
    tail: encoder.encode(`\r\n--${boundary}--\r\n`),
  };
}

/** "Replace `\n` by `%0A`, `\r` by `%0D`, `"` by `%22`" (HTML, multipart form data); otherwise plain UTF-8. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}

type Chunk = { readonly done?: boolean | undefined; readonly value?: unknown };

/**
 * Returns a function that reads the next chunk of a web stream, a Node stream or any other iterable, until the
 * signal aborts. Web streams are read with a reader, because Safari's are not iterable.
 */
export function openSource(data: object, signal: AbortSignal): () => Promise<Chunk> {
  const onAbort = (leave: () => unknown) => signal.addEventListener('abort', leave);
  if ('getReader' in data) {
    const reader = (data as ReadableStream<unknown>).getReader();
    onAbort(() => reader.cancel(signal.reason).catch(() => {}));
    return () => reader.read();
  }
  const iterator = (data as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  onAbort(() => {
    // A generator ends only after its current step, but a Node stream can be destroyed.
    if ('destroy' in data) (data as { destroy(): void }).destroy();
    else iterator.return?.().catch(() => {});
  });
  return () => iterator.next();
}
