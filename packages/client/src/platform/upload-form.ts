import type { FetchLike } from '../call-options.ts';

/**
 * A file of the disk, in Node, Deno and Bun. It is streamed, never whole in memory, and may be sent
 * again where a try fails. A plain string is content, not a path.
 *
 * @example
 * await storage.upload('videos/a.mp4', { file: './a.mp4' });
 */
export interface FileSource {
  /** Path of the file, or its `file:` URL. */
  readonly file: string | URL;
}

/**
 * What can be uploaded: bytes; a text, which is sent as UTF-8; a stream of the web or of Node, or
 * anything else that gives bytes or texts in turn; a file of the disk.
 *
 * In Node and in Workers a stream is passed on as it comes. In browsers it is gathered first, at most
 * `maxBytes` of it, for they cannot send one over HTTP/1.1.
 */
export type UploadData =
  | Blob
  | ArrayBufferView
  | ArrayBuffer
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | FileSource;

/** The content of an upload, with what is known of it before it is read. */
export interface UploadContent {
  readonly data:
    | Blob
    | Uint8Array
    | ReadableStream<Uint8Array>
    | AsyncIterable<Uint8Array | string>
    | FileSource;
  /** Length in bytes; `undefined` for a stream whose length nobody told. */
  readonly size: number | undefined;
  /** No more bytes are taken. */
  readonly maxBytes: number;
  readonly type: string;
  /** Whether it can be read again, for another try. */
  readonly isReplayable: boolean;
}

/** One POST of an upload. Its `url` and `fields` are secret. */
export interface UploadForm {
  /** "Clients post to the returned `url` verbatim, its path and query included" (D2). */
  readonly url: string;
  /** All fields before the file, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Name of the field of the file, the last one. */
  readonly fileField: string;
  readonly fileName: string;
  readonly content: UploadContent;
  /** Takes how many bytes of the file have been sent; `undefined` if nobody asks. */
  readonly report: ((loaded: number) => void) | undefined;
  readonly signal: AbortSignal;
  /** Longest time in milliseconds in which nothing moves; 0 is without end. */
  readonly idle: number;
  /** The error of a connection that failed, or, without a cause, of `idle`. */
  fail(cause?: unknown): Error;
  readonly fetch: FetchLike;
  /** An `Agent` of `node:http` or `node:https`. */
  readonly agent: object | undefined;
}

/** What the upload target answered. */
export interface UploadResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Holds a content to its limits: it has at most `maxBytes`, and exactly `size` if that was given,
 * for `Content-Length` promised it (RFC 9110, section 8.6).
 *
 * @param read bytes so far; at the end, bytes in all
 * @throws RangeError
 */
export function assertLength(
  { size, maxBytes }: Pick<UploadContent, 'size' | 'maxBytes'>,
  read: number,
  isEnd: boolean,
): void {
  if (read > maxBytes) throw new RangeError(`The content is longer than maxBytes, ${maxBytes}.`);
  if (size === undefined || (isEnd ? read === size : read <= size)) return;
  throw new RangeError(`The content is ${isEnd ? 'shorter' : 'longer'} than its size, ${size}.`);
}

/** What stands before and after the bytes of the file in a form. */
export interface Multipart {
  readonly contentType: string;
  readonly head: Uint8Array<ArrayBuffer>;
  readonly tail: Uint8Array<ArrayBuffer>;
}

/**
 * Writes a form around its file (RFC 7578; the same bytes as `FormData` makes).
 *
 * @param id what stands nowhere else, for the boundary
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

/** "Replace `\n` by `%0A`, `\r` by `%0D`, `"` by `%22`" (HTML, multipart form data); else UTF-8 as it is. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent);
}
