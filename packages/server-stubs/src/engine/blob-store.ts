import type { Writable } from 'node:stream';

/** There is no file of this key. */
export class BlobMissingError extends Error {
  override readonly name = 'BlobMissingError';
  readonly key: BlobKey;

  constructor(key: BlobKey) {
    super(`There is no file ${key.path}.`);
    this.key = key;
  }
}

/** There is a file of this key already. */
export class BlobExistsError extends Error {
  override readonly name = 'BlobExistsError';
  readonly key: BlobKey;

  constructor(key: BlobKey) {
    super(`There is a file ${key.path} already.`);
    this.key = key;
  }
}

/** A move has made the copy but could not remove the source, so both files exist. */
export class SourceKeptError extends Error {
  override readonly name = 'SourceKeptError';
  /** What was copied. */
  readonly info: BlobInfo;

  constructor(info: BlobInfo, cause: unknown) {
    super('The file was copied, but its source could not be removed.', { cause });
    this.info = info;
  }
}

/** A file is not as it was written: cut off, or with other bytes. Retrying does not help. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** The store cannot do its work now: unreachable, full, or failing. The call may be retried later. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The file exceeds a limit of the store. The caller gets the message. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
}

/** Identifies a file in a store. Stores check no permissions. */
export interface BlobKey {
  readonly env: string;
  /** Segments joined by `/`, unencoded, without a leading slash; checked by `assertFilePath` before. */
  readonly path: string;
}

/** Metadata of a file. */
export interface BlobInfo {
  /** Bytes. */
  readonly size: number;
  /** Identifies this version of the file; without quotes. */
  readonly etag: string;
  /** As the upload gave it. */
  readonly contentType: string;
  /** Sent as `Last-Modified`. Omit it unless a copy gets its own time. */
  readonly modified?: Date;
}

/** A byte range, both ends included (RFC 9110, section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One version of a file, held open: a later write to its key does not change what is read. */
export interface OpenBlob {
  readonly info: BlobInfo;
  /** The content, or a part of it. Called once at most; it then releases the file itself. */
  read(range?: ByteRange): Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Writes the content, or a part of it, to a Node.js stream and ends the stream. Used in place of `read`
   * if the store has a faster way. A failure destroys the stream.
   *
   * @throws BlobDamagedError; the stream is intact if nothing was written
   */
  sendTo?(target: Writable, range?: ByteRange): Promise<void>;
  /** Releases a file that is not read. */
  close(): Promise<void>;
}

export interface WriteOptions {
  readonly contentType: string;
  /** Size in bytes, if known. Content of another length is an error. */
  readonly size?: number;
  /** Aborts the write and leaves nothing behind. */
  readonly signal?: AbortSignal;
}

export interface CopyOptions {
  /** Whether a file at the destination is replaced; otherwise `BlobExistsError`, atomically. */
  readonly overwrite: boolean;
  /** Whether the source is removed: that version of it, and never one that is written meanwhile. */
  readonly move?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The file store behind the storage API.
 *
 * A file becomes visible when it is complete, an interrupted upload leaves nothing behind, and what was
 * acknowledged with success is never lost (D28). Each method has finished its work when its promise is
 * fulfilled, and rejects with `StoreUnavailableError` if the caller may retry later.
 */
export interface BlobStore {
  /**
   * Writes a file, and replaces one of this key atomically. A failure leaves the old one.
   *
   * @throws StoreFullError for content that is too large for the store
   */
  write(key: BlobKey, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<BlobInfo>;
  /** Undefined if there is no such file. */
  stat(key: BlobKey): Promise<BlobInfo | undefined>;
  /** Undefined if there is no such file. */
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Copies or moves within one environment. Of several concurrent callers that forbid overwriting, or
   * that move one file, one succeeds.
   *
   * @throws BlobMissingError if there is no source
   * @throws BlobExistsError if there is a destination that must not be overwritten
   * @throws SourceKeptError if the copy of a move is made, and its source cannot be removed
   * @throws StoreFullError for a copy that is too large for the store
   */
  copy(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo>;
  /** Whether there was such a file. */
  delete(key: BlobKey): Promise<boolean>;
  /** A URL at which the store itself serves the file for this many seconds, if it supports that. */
  presign?(key: BlobKey, seconds: number): Promise<string>;
}
