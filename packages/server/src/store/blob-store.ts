import type { Readable, Writable } from 'node:stream';
import type {
  BlobInfo,
  BlobKey,
  ByteRange,
  OpenBlob as EngineBlob,
  BlobStore as EngineStore,
  WriteOptions,
} from '@berth/storage';

export {
  BlobDamagedError,
  BlobExistsError,
  type BlobInfo,
  type BlobKey,
  BlobMissingError,
  type ByteRange,
  type CopyOptions,
  SourceKeptError,
  StoreUnavailableError,
  type WriteOptions,
} from '@berth/storage';

/** An open version of a file. Reads are not affected by later writes to its key. */
export interface OpenBlob extends EngineBlob {
  /** If the stream fails halfway, it is destroyed with the error. */
  read(range?: ByteRange): Readable;
  /**
   * Writes the content, or part of it, to a stream with backpressure, and ends the stream. An alternative to
   * `read`. On failure, the stream is destroyed and the error is thrown. A file that is sent as a whole is
   * verified meanwhile: a damaged file is never sent to its end.
   * @throws BlobDamagedError; the stream is intact if nothing was written
   * @param target must not use a chunk after its callback, as is the case for sockets and HTTP responses; a
   * stream that passes chunks on, such as `PassThrough`, would pass on overwritten bytes
   */
  sendTo(target: Writable, range?: ByteRange): Promise<void>;
}

export interface CheckedFile {
  readonly bytes: number;
  readonly damage?: string | undefined;
  /** Whether another program wrote the file, so that its checksum is unknown. */
  readonly isUnverified?: boolean;
}

export interface StoredFile {
  /** Path relative to the root on disk, or key of the object. */
  readonly name: string;
  /** Returns undefined if the file was deleted in the meantime. */
  check(): Promise<CheckedFile | undefined>;
}

/**
 * The files of all environments, which are the storage API's only state. When a promise is fulfilled, the change is
 * durable.
 */
export interface BlobStore extends EngineStore {
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Removes leftovers of failed uploads and returns how many it removed. Call it every few minutes. Uploads
   * of this process are never removed.
   * @param olderThan time of the last write. Default: now on disk; a week ago on S3, where any live upload of another
   * process has sent another part by then
   */
  sweep(olderThan?: Date): Promise<number>;
  check(): Promise<void>;
  close(): Promise<void>;
}
