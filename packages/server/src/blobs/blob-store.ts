import type { Readable, Writable } from 'node:stream';
import type {
  BlobInfo,
  BlobKey,
  ByteRange,
  OpenBlob as EngineBlob,
  BlobStore as EngineStore,
  WriteOptions,
} from '@berth/server-stubs/engine';

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
} from '@berth/server-stubs/engine';

/** One version of a file, held open: later writes to its key do not change what is read. */
export interface OpenBlob extends EngineBlob {
  /** A stream that fails halfway is destroyed with the error. */
  read(range?: ByteRange): Readable;
  /**
   * Writes the content, or a part of it, to a stream with backpressure, and ends the stream. Alternative
   * to `read`. A failure destroys the stream, and is thrown. A file on disk is verified while it is sent
   * completely: a damaged one is never sent to its end, and nothing is written of a truncated one.
   *
   * @throws BlobDamagedError; the stream is intact if nothing was written
   * @param target must not use a chunk after its callback, as a socket or an HTTP response; a stream
   * that passes chunks on, such as `PassThrough`, would pass on overwritten bytes
   */
  sendTo(target: Writable, range?: ByteRange): Promise<void>;
}

/**
 * Files of all environments, the only state of the storage API. Any number of processes may share one
 * store. When a promise is fulfilled, the change is durable.
 */
export interface BlobStore extends EngineStore {
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Removes leftovers of failed uploads, and returns their number. Call it every few minutes: uploads of
   * this process are never removed, and on disk those of another process only if it has not swept since.
   *
   * @param olderThan time of the last write. Default: an hour ago on disk; a week ago on S3, in which
   * any live upload has sent another part
   */
  sweep(olderThan?: Date): Promise<number>;
  /** Checks whether the store is usable; rejects with the reason. */
  check(): Promise<void>;
  close(): Promise<void>;
}
