import type { Readable, Writable } from 'node:stream';

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

/** A file was to be moved, and is at its destination; but its source could not be removed, and is there as well. */
export class SourceKeptError extends Error {
  override readonly name = 'SourceKeptError';
  /** What was copied. */
  readonly info: BlobInfo;

  constructor(info: BlobInfo, cause: unknown) {
    super('The file was copied, but its source could not be removed.', { cause });
    this.info = info;
  }
}

/** A file is not as it was written: cut off, or with other bytes. To repeat the call does not help. */
export class BlobDamagedError extends Error {
  override readonly name = 'BlobDamagedError';
}

/** The store cannot do its work now: unreachable, full, or failing. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Where a file is kept. Stores know no permissions: whoever has a key may use it. */
export interface BlobKey {
  readonly env: string;
  /** Segments joined by `/`, unencoded, without a leading slash; judged by `assertFilePath` before. */
  readonly path: string;
}

/** What is known of a file. */
export interface BlobInfo {
  /** Bytes. */
  readonly size: number;
  /**
   * Strong validator (RFC 9110, section 8.8.1): each write makes a new one and a copy keeps it, so two files that
   * share it have the same bytes and type. A UUID, without quotes.
   */
  readonly etag: string;
  /** As the upload gave it. */
  readonly contentType: string;
}

/** A byte range, both ends included (RFC 9110, section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One version of a file, held open: whatever is written to its key since, this is what is read. */
export interface OpenBlob {
  readonly info: BlobInfo;
  /**
   * The content, or a part of it. To be called once at most. A stream that fails in its midst is
   * destroyed with the error.
   */
  read(range?: ByteRange): Readable;
  /**
   * Writes the content, or a part of it, to a stream and ends that, no faster than it is taken. Instead of
   * `read`. What fails destroys the stream, and is thrown. A file on disk is verified while all of it is
   * sent: one that is damaged is never sent to its end, and nothing is written of a short one.
   *
   * @throws BlobDamagedError; the stream is intact if nothing was written
   */
  sendTo(target: Writable, range?: ByteRange): Promise<void>;
  /** Lets go of a file that is neither read nor sent. */
  close(): Promise<void>;
}

export interface WriteOptions {
  readonly contentType: string;
  /** Gives up, and leaves nothing. */
  readonly signal?: AbortSignal;
}

export interface CopyOptions {
  /** Whether a file at the destination is replaced; else `BlobExistsError`, atomically. */
  readonly overwrite: boolean;
  /** Whether the source is removed: that version of it, and never one that is written meanwhile. */
  readonly move?: boolean;
}

/**
 * Files of all environments, the only state of the storage API. Any number of processes may work on
 * one store.
 *
 * D28: "A file is visible only when whole: a broken upload leaves nothing, and what was answered with
 * success is never lost." Each method has done its work, durably, when its promise is fulfilled.
 *
 * Each rejects with `StoreUnavailableError` where the store cannot be reached or has no room: the call
 * may be repeated later.
 */
export interface BlobStore {
  /** Writes a file, and replaces one of this key atomically. Whatever fails leaves the old one. */
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  /** Undefined where there is no such file. */
  stat(key: BlobKey): Promise<BlobInfo | undefined>;
  /** Undefined where there is no such file. */
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Copies or moves within one environment. Of several callers at once that forbid overwriting, or that
   * move one file, one succeeds.
   *
   * @throws BlobMissingError where there is no source
   * @throws BlobExistsError where there is a destination that must not be overwritten
   * @throws SourceKeptError where the copy of a move is made, and its source cannot be removed
   */
  copy(from: BlobKey, to: BlobKey, options: CopyOptions): Promise<BlobInfo>;
  /** Whether there was such a file. */
  delete(key: BlobKey): Promise<boolean>;
  /**
   * Removes what broken uploads left behind; how many there were. To be called every few minutes: an upload
   * of this process is never removed, and one on disk of another process only if that has not swept since.
   *
   * @param olderThan when it was last written. Default: an hour ago on disk; on S3 a week, within which
   *   any upload has sent another part
   */
  sweep(olderThan?: Date): Promise<number>;
  /** Looks whether the store can be used; rejects with the reason. */
  check(): Promise<void>;
  /**
   * Address at which the store itself hands out the file for so long, where it can. The driver's
   * options decide whether this is there.
   */
  presign?(key: BlobKey, seconds: number): Promise<string>;
  close(): Promise<void>;
}
