import type { Readable } from 'node:stream';
import type { Call } from '../runtime/index.ts';

/** One upload. The grant in the form is not verified yet: the handler must do that. */
export interface UploadInput {
  /** Path to write to, from the form. */
  readonly key: string;
  /** Value of `Signature`: the `authorization` of the upload metadata. */
  readonly signature: string;
  /** The `token` of the upload metadata. */
  readonly token: string;
  /** The `storeFileID` of the upload metadata. */
  readonly metaFileId: string;
  /**
   * The content, with backpressure. The stream ends only when the form is complete, including its closing
   * boundary, and fails if the form is aborted or the file is too large. Store it under a provisional
   * name and publish it once the stream has ended (D28).
   */
  readonly file: Readable;
  /** Name of the file, from the client. Do not use it as a path. */
  readonly filename: string;
  /** Media type of the file, from the client, without parameters, in lower case. */
  readonly contentType: string;
  /** All fields before `file`, their names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Result of an upload. The status is 204, or the one that the form requests in `success_action_status`.
 */
export interface UploadResult {
  /** Strong validator of the content, such as its MD5 in hex; quoted on the wire. */
  readonly etag: string;
  /** URL of the file. */
  readonly location: string;
}

/** Stores one file. To refuse it, throw an `UploadError`, preferably before reading the content. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** The handler of the upload target. Without it, the target responds with 501. */
export interface UploadHandlers {
  readonly uploadFile?: UploadHandler;
}
