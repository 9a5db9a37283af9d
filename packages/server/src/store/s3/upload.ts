import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import {
  type BlobInfo,
  type BlobKey,
  FileTooLargeError,
  StoreUnavailableError,
  type WriteOptions,
} from '@berth/storage';
import { type Bucket, expectS3 } from './bucket.ts';

/** Smaller content is sent in one call, larger content in parts of this size, the smallest that S3 accepts. */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * How many bytes all uploads of this process may keep in memory, waiting for the store or for more content. A lower limit
 * would allow fewer slow uploads at a time and save little: while 60 clients send as fast as they can and then stall, a
 * process takes 160 to 210 MiB even if it keeps no byte (Node's chunks and garbage), and 180 to 310 MiB with this limit.
 */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 3;

const CLEAN_UP_SECONDS = 5;

const inProgress = new Set<string>();

export function isInProgress(uploadId: string): boolean {
  return inProgress.has(uploadId);
}

/**
 * Writes an object atomically (D28). A single PUT is atomic, and so is an upload in parts: the store only shows the
 * object when the upload is completed. A sweep finds what killed processes have left.
 */
export async function writeObject(
  bucket: Bucket,
  key: BlobKey,
  content: Readable,
  { signal, contentType }: WriteOptions,
): Promise<BlobInfo> {
  // The store's own ETag does not change if only the type does.
  const etag = randomUUID();
  const place = { Bucket: bucket.name, Key: bucket.keyOf(key) };
  const object = { ...place, ContentType: contentType, Metadata: { etag } };
  const parts = new PartReader(content);
  // Aborted when a part fails, which would otherwise wait for more content.
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([failed.signal, signal]) : failed.signal;
  try {
    stop.throwIfAborted();
    addAbortSignal(stop, content);
    const first = await parts.read();
    const size = await (first.length < PART_BYTES ? put(first) : putParts(first));
    return { size, etag, contentType };
  } catch (error) {
    content.destroy();
    stop.throwIfAborted();
    throw error;
  } finally {
    parts.release();
  }

  /** The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit. */
  async function put(Body: Buffer): Promise<number> {
    const command = new PutObjectCommand({ ...object, Body });
    const send = (signal: AbortSignal) => bucket.send(command, signal);
    expectS3((await bucket.withLocks([place.Key], send, stop)).ETag);
    return Body.length;
  }

  async function putParts(first: Buffer): Promise<number> {
    const created = await bucket.sendAlone(new CreateMultipartUploadCommand(object), stop);
    const upload = { ...place, UploadId: expectS3(created.UploadId) };
    inProgress.add(upload.UploadId);
    try {
      const { size, Parts } = await sendParts(first, upload);
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
      // If this fails, the store may still complete it, so the parts must stay until a sweep.
      const send = (signal: AbortSignal) => bucket.send(command, signal);
      expectS3((await bucket.withLocks([place.Key], send, stop)).ETag);
      return size;
    } finally {
      inProgress.delete(upload.UploadId);
    }
  }

  /** Sends each part while the next one arrives. */
  async function sendParts(first: Buffer, upload: typeof place & { UploadId: string }) {
    const Parts: CompletedPart[] = [];
    let size = 0;
    let sending: Promise<void> | undefined;
    try {
      for (let Body = first; Body.length > 0; Body = await parts.read(sending)) {
        await sending;
        size += Body.length;
        if (size > MAX_OBJECT_BYTES) throw toTooLargeError();
        const PartNumber = Parts.length + 1;
        const command = new UploadPartCommand({ ...upload, PartNumber, Body });
        sending = bucket
          .sendAlone(command, stop)
          .then(({ ETag }) => void Parts.push({ PartNumber, ETag: expectS3(ETag) }));
        sending.catch((error) => failed.abort(error));
      }
      await sending;
      return { size, Parts };
    } catch (error) {
      // A part that arrives after the upload was aborted would stay in the store.
      failed.abort(error);
      await sending?.catch(() => {});
      const abort = new AbortMultipartUploadCommand(upload);
      const discard = (signal: AbortSignal) => bucket.send(abort, signal);
      await bucket.withDeadline(discard, undefined, CLEAN_UP_SECONDS).catch(() => {});
      throw error;
    }
  }
}

/**
 * Reads the content of an upload in parts. It has a buffer for the part that is being sent, and if possible one for the
 * part that arrives meanwhile, and keeps both until the end, so that an upload in progress does not fail because others
 * start.
 */
class PartReader {
  static #usedByAll = 0;
  #used = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  /** What has arrived and is in no part yet. */
  #rest: Buffer = Buffer.alloc(0);
  #buffer: Buffer = Buffer.allocUnsafe(PART_BYTES);
  #spare: Buffer | undefined;

  constructor(content: Readable) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /**
   * Reads the next part. Only the last one is smaller than `PART_BYTES`, and may be empty.
   * @param sending the request that sends the previous part, which needs its buffer until then
   * @throws StoreUnavailableError if all uploads together use too much memory
   */
  async read(sending?: Promise<void>): Promise<Buffer> {
    // A new buffer for each part would be garbage, which takes as much memory again before it is collected.
    if (sending !== undefined && this.#reserve(2 * PART_BYTES)) {
      [this.#buffer, this.#spare] = [this.#spare ?? Buffer.allocUnsafe(PART_BYTES), this.#buffer];
    } else {
      await sending;
    }
    let length = 0;
    while (length < PART_BYTES) {
      if (this.#rest.length === 0) {
        const chunk = await this.#chunks.next();
        if (chunk.done) break;
        this.#rest = chunk.value;
      }
      // Copied at once, because garbage of many chunks takes as much memory as the parts.
      const copied = this.#rest.copy(this.#buffer, length);
      this.#rest = this.#rest.subarray(copied);
      length += copied;
      if (!this.#reserve(length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
    }
    return this.#buffer.subarray(0, length);
  }

  #reserve(bytes: number): boolean {
    const more = Math.max(bytes - this.#used, 0);
    if (PartReader.#usedByAll + more > MAX_BUFFERED_BYTES) return false;
    PartReader.#usedByAll += more;
    this.#used += more;
    return true;
  }

  release(): void {
    PartReader.#usedByAll -= this.#used;
  }
}

export function toTooLargeError(): FileTooLargeError {
  return new FileTooLargeError(`Files in this store have at most ${MAX_OBJECT_BYTES} bytes.`);
}
