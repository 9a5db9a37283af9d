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
   * @param olderThan time of the last write on disk, and of the start on S3. Default: now on disk, but a day ago if
   * several processes use the store; a week ago on S3
   */
  sweep(olderThan?: Date): Promise<number>;
  check(): Promise<void>;
  close(): Promise<void>;
}
