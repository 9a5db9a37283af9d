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
import { freeChunk } from '../server-store.ts';
import { type Bucket, expectS3, type ObjectPlace } from './bucket.ts';

/** Smaller content is sent in one call, larger content in parts of this size, the smallest that S3 accepts. */
const PART_BYTES = 5 * 1024 * 1024;

/**
 * How many bytes all uploads of this process may keep in memory, waiting for the store or for more content. A lower limit
 * would allow fewer slow uploads at a time and save little: while 60 clients send as fast as they can and then stall, a
 * process takes 160 to 210 MiB even if it keeps no byte (Node's chunks and garbage), and 180 to 310 MiB with this limit.
 * Some of that is free memory that glibc keeps: with `MALLOC_TRIM_THRESHOLD_=131072`, two runs ended at 207 and 234 MiB,
 * and four without at 258 to 292 MiB.
 */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 3;

const CLEAN_UP_SECONDS = 5;

/** IDs of the multipart uploads of this process. */
export const uploadsInProgress = new Set<string>();

/**
 * Uploads an object, which is atomic (D28): a single PUT is, and so is a multipart upload, because the store only shows
 * the object when the upload is completed. A sweep aborts what killed processes have left.
 */
export async function uploadObject(
  bucket: Bucket,
  key: BlobKey,
  content: Readable,
  { signal, contentType }: WriteOptions,
): Promise<BlobInfo> {
  const place = bucket.locate(key);
  // The store's own ETag does not change if only the type does.
  const etag = randomUUID();
  const object = { ...place, ContentType: contentType, Metadata: { etag } };
  const parts = new PartReader(content);
  const failure = new AbortController();
  /** Ends the requests and the content, if the caller cancels the upload or a part of it fails. */
  const stop = signal ? AbortSignal.any([failure.signal, signal]) : failure.signal;

  /** The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit. */
  async function put(Body: Buffer): Promise<void> {
    const command = new PutObjectCommand({ ...object, Body });
    expectS3((await bucket.send(command, { locked: [place], stop })).ETag);
  }

  async function putParts(first: Buffer): Promise<void> {
    const { UploadId } = await bucket.send(new CreateMultipartUploadCommand(object), { stop });
    const upload = { ...place, UploadId: expectS3(UploadId) };
    uploadsInProgress.add(upload.UploadId);
    try {
      const MultipartUpload = { Parts: await sendParts(first, upload) };
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload });
      // If this fails, the store may still complete it, so the parts must stay until a sweep.
      expectS3((await bucket.send(complete, { locked: [place], stop })).ETag);
    } finally {
      uploadsInProgress.delete(upload.UploadId);
    }
  }

  /** Sends each part while the next one arrives. If one fails, discards them all. */
  async function sendParts(first: Buffer, upload: ObjectPlace & { UploadId: string }) {
    const sent: CompletedPart[] = [];
    let sending: Promise<void> | undefined;
    try {
      for (let Body = first; Body.length > 0; Body = await parts.read(sending)) {
        await sending;
        const PartNumber = sent.length + 1;
        sending = bucket
          .send(new UploadPartCommand({ ...upload, PartNumber, Body }), { stop })
          .then(({ ETag }) => void sent.push({ PartNumber, ETag: expectS3(ETag) }));
        // Otherwise, it would be noticed only when the next part has arrived.
        sending.catch((error) => failure.abort(error));
      }
      await sending;
      return sent;
    } catch (error) {
      failure.abort(error);
      // A part that arrives after the upload was aborted would stay in the store.
      await sending?.catch(() => {});
      const discard = new AbortMultipartUploadCommand(upload);
      await bucket.send(discard, { seconds: CLEAN_UP_SECONDS }).catch(() => {});
      throw error;
    }
  }

  try {
    stop.throwIfAborted();
    addAbortSignal(stop, content);
    const first = await parts.read();
    await (first.length < PART_BYTES ? put(first) : putParts(first));
    return { size: parts.size, etag, contentType };
  } catch (error) {
    content.destroy();
    stop.throwIfAborted();
    throw error;
  } finally {
    parts.release();
  }
}

/**
 * Reads the content of an upload in parts. One buffer has the part that is being sent; if memory allows, another one
 * receives the next part. Both are kept until the end, so that new uploads do not make one in progress fail.
 */
class PartReader {
  static #usedByAll = 0;
  #used = 0;
  /** How many bytes have been read. */
  size = 0;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** How much of the chunk is in a part already. */
  #copied = 0;
  #buffer: Buffer = Buffer.allocUnsafe(PART_BYTES);
  #spare: Buffer | undefined;

  constructor(content: Readable) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /**
   * Reads the next part. Only the last one is smaller than `PART_BYTES`, and may be empty.
   * @param sending the request that sends the previous part, which needs its buffer until then
   * @throws StoreUnavailableError if all uploads together use too much memory
   * @throws FileTooLargeError if there are more bytes than an object can have
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
      if (this.#copied === this.#chunk.length) {
        const chunk = await this.#chunks.next();
        if (chunk.done) break;
        freeChunk(this.#chunk);
        this.#chunk = chunk.value;
        this.#copied = 0;
      }
      // Copied at once, because many chunks would take as much memory as the parts.
      const copied = this.#chunk.copy(this.#buffer, length, this.#copied);
      this.#copied += copied;
      length += copied;
      if (!this.#reserve(length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
    }
    this.size += length;
    if (this.size > MAX_OBJECT_BYTES) throw toTooLargeError();
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
