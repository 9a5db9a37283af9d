import type { FetchLike } from '../fetch-like.ts';
import type { FileSource } from './upload-data.ts';

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
  /** Whether it can be read once more, for another try. */
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
  /** Takes how many bytes of the file have been sent; `undefined` where nobody asks. */
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
export interface UploadAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Pick<Headers, 'get'>;
}
