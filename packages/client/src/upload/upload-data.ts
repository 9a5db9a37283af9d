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
