import type { Writable } from 'node:stream';

/** Thrown if a file does not exist. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';

  constructor({ path }: BlobKey) {
    super(`${path} does not exist.`);
  }
}

/** Thrown if a file already exists. */
export class BlobExistsError extends Error {
  override readonly name = 'BlobExistsError';

  constructor({ path }: BlobKey) {
    super(`${path} already exists.`);
  }
}

/** Thrown if a move has copied the file but could not remove the source, so that both files exist. */
export class SourceKeptError extends Error {
  override readonly name = 'SourceKeptError';
  /** Metadata of the copy. */
  readonly info: BlobInfo;

  constructor(info: BlobInfo, cause: unknown) {
    super('The file was copied, but the source could not be removed.', { cause });
    this.info = info;
  }
}

/** Thrown if a file is truncated, or its bytes differ from those that were written. Retrying does not help. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** Thrown if the store is unreachable, full, or failing. The call may be retried later. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Thrown if a file is too large for the store. The message is sent to the caller. */
export class FileTooLargeError extends Error {
  override readonly name = 'FileTooLargeError';
}

/** Identifies a file in a store. Stores do not check permissions. */
export interface BlobKey {
  /** Environments share no files. A store may reject names that it cannot keep apart. */
  readonly env: string;
  /** Segments joined by `/`, unencoded, without a leading slash. Already checked with `assertFilePath`. */
  readonly path: string;
}

/** Metadata of a file. */
export interface BlobInfo {
  /** Size in bytes. */
  readonly size: number;
  /** Identifies this version of the file. Not quoted. */
  readonly etag: string;
  /** Media type from the upload. */
  readonly contentType: string;
}

/** A byte range, inclusive at both ends (RFC 9110, section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** An open version of a file. Reads are not affected by later writes to its key. */
export interface OpenBlob {
  readonly info: BlobInfo;
  /** Returns the content, or part of it. Called at most once, and releases the file when done. */
  read(range?: ByteRange): Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Writes the content, or part of it, to a Node.js stream and ends the stream. Used instead of `read`
   * if the store has a faster way. After a failure, the stream is either destroyed, or nothing was written
   * to it and the caller can still use it, for example to send an error response.
   *
   * @throws BlobDamagedError if the file is damaged
   */
  sendTo?(target: Writable, range?: ByteRange): Promise<void>;
  /** Releases a file that was not read. */
  close(): Promise<void>;
}

export interface WriteOptions {
  readonly contentType: string;
  /** Aborts the write, leaving nothing behind. */
  readonly signal?: AbortSignal;
}

export interface CopyOptions {
  /** Whether to replace a file at the destination. Otherwise throws `BlobExistsError`, atomically. */
  readonly overwrite: boolean;
  /** Whether to remove the source. Only removes the copied version, never one that was written in the meantime. */
  readonly move?: boolean;
}

/**
 * The file store behind the storage API.
 *
 * A file becomes visible only when it is complete, an interrupted upload leaves nothing behind, and an
 * acknowledged change is never lost. When a method's promise is fulfilled, its work is done. The
 * promise rejects with a `StoreUnavailableError` if the caller may retry later.
 */
export interface BlobStore {
  /**
   * Writes a file, atomically replacing any file with this key. If that fails, the old file stays.
   *
   * @throws FileTooLargeError if the content is too large for the store
   */
  write(key: BlobKey, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<BlobInfo>;
  /** Returns a file's metadata, or `undefined` if it does not exist. */
  stat(key: BlobKey): Promise<BlobInfo | undefined>;
  /** Opens a file, or returns `undefined` if it does not exist. */
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Copies or moves a file within one environment. `to` must not equal `from`: a move would delete the file. If several
   * callers concurrently forbid overwriting, or move the same file, exactly one succeeds.
   *
   * @throws BlobMissingError if the source does not exist
   * @throws BlobExistsError if the destination exists and must not be overwritten
   * @throws SourceKeptError if a move has made the copy, but cannot remove the source
   * @throws FileTooLargeError if the copy is too large for the store
   */
  copy(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo>;
  /** Deletes a file. Returns whether it existed. */
  delete(key: BlobKey): Promise<boolean>;
}
