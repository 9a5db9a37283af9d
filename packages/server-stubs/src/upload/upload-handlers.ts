import type { Readable } from 'node:stream';
import type { Call } from '../runtime/index.ts';

/** One upload. The form's grant is not checked yet: that is the handler's business. */
export interface UploadInput {
  /** Cloud path to write to, as the form gives it. */
  readonly key: string;
  /** Value of `Signature`: the `authorization` of the upload metadata. */
  readonly signature: string;
  /** The `token` of the upload metadata. */
  readonly token: string;
  /** The `storeFileID` of the upload metadata. */
  readonly metaFileId: string;
  /**
   * The content, read no faster than it is taken. It ends only when the form is whole, its closing
   * boundary included, and fails where the form breaks off or the file is too large: store it under a
   * provisional name and publish it once the stream has ended (D28).
   */
  readonly file: Readable;
  /** Name that the client gave the file; not to be trusted as a path. */
  readonly filename: string;
  /** Media type that the client gave the file, without parameters, in lower case. */
  readonly contentType: string;
  /** All fields before `file`, their names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
}

/** What became of an upload. The status is 204, or what the form asks for in `success_action_status`. */
export interface UploadResult {
  /** Strong validator of the content, such as its MD5 in hex; quoted on the wire. */
  readonly etag: string;
  /** Address of the file. */
  readonly location: string;
}

/** Stores one file. To refuse, throw an `UploadError`, best before the content is read. */
export type UploadHandler = (
  input: UploadInput,
  call: Call,
) => UploadResult | Promise<UploadResult>;

/** The handler of the upload target. Left out, the target answers 501. */
export interface UploadHandlers {
  readonly uploadFile?: UploadHandler;
}
