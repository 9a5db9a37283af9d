import type { Readable } from 'node:stream';
import type { Call } from '../runtime/index.ts';

/** An upload. The grant in the form has not been verified: your handler must do that. */
export interface UploadInput {
  /** Path to write to, as in the form. */
  readonly key: string;
  /** Value of the `Signature` field, which is `authorization` in the upload metadata. */
  readonly signature: string;
  /** The `token` from the upload metadata. */
  readonly token: string;
  /** The `storeFileID` from the upload metadata. */
  readonly metaFileId: string;
  /**
   * Content of the file, with backpressure. The stream ends only when the form is complete, including
   * its closing boundary, and fails if the form is aborted or the file is too large. Write it to a
   * temporary name, and rename it once the stream has ended (D28).
   */
  readonly file: Readable;
  /** File name that the client sent. Do not use it as a path. */
  readonly filename: string;
  /**
   * Media type that the client sent, in lowercase, with its charset and without other parameters, such as
   * `text/plain; charset=utf-8`.
   */
  readonly contentType: string;
  /** All fields before `file`, by lowercase name. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * The result of an upload. The status is 204, or the status that the form requests in
 * `success_action_status`.
 */
export interface UploadResult {
  /** Strong ETag of the content, such as its MD5 in hex. Quoted on the wire. */
  readonly etag: string;
  /** URL of the file. */
  readonly location: string;
}

/** Stores a file. To reject it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** The upload target's handler. Without it, the target responds with 501. */
export interface UploadHandlers {
  readonly uploadFile?: UploadHandler;
}
