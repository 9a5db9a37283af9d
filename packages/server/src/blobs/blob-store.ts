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

/** One version of a file, held open: a later write to its key does not change what is read. */
export interface OpenBlob extends EngineBlob {
  /** A stream that fails in its midst is destroyed with the error. */
  read(range?: ByteRange): Readable;
  /**
   * Writes the content, or a part of it, to a stream and ends that, no faster than it is taken. Instead of
   * `read`. What fails destroys the stream, and is thrown. A file on disk is verified while all of it is
   * sent: one that is damaged is never sent to its end, and nothing is written of a short one.
   *
   * @throws BlobDamagedError; the stream is intact if nothing was written
   * @param target has no use for bytes any more when it has called back, as a socket or an HTTP response;
   *   a stream that hands them on, such as `PassThrough`, would hand on others
   */
  sendTo(target: Writable, range?: ByteRange): Promise<void>;
}

/**
 * Files of all environments, the only state of the storage API. Any number of processes may work on
 * one store. Each method has done its work durably when its promise is fulfilled.
 */
export interface BlobStore extends EngineStore {
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  open(key: BlobKey): Promise<OpenBlob | undefined>;
  /**
   * Removes what broken uploads left behind; how many there were. To be called every few minutes: an upload
   * of this process is never removed, and one on disk of another process only if that has not swept since.
   *
   * @param olderThan when it was last written. Default: an hour ago on disk; on S3 a week, within which
   *   any upload has sent another part
   */
  sweep(olderThan?: Date): Promise<number>;
  /** Checks whether the store can be used; rejects with the reason. */
  check(): Promise<void>;
  close(): Promise<void>;
}
