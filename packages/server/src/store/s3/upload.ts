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
 * would allow fewer slow uploads at a time and save little, because most memory is garbage: with 60 stalled uploads, a
 * process takes 200 to 300 MiB, and 115 MiB when idle.
 */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

/** S3: "You create a copy of your object up to 5 GB in size in a single atomic action". */
export const MAX_OBJECT_BYTES = 5 * 1024 ** 3;

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
  options: WriteOptions,
): Promise<BlobInfo> {
  return new Upload(bucket, key, content, options).run();
}

/** The memory of an upload, which is part of what all uploads may use. */
class MemoryBudget {
  static #usedByAll = 0;
  #used = 0;

  /** Lets the upload use up to that many bytes in total, or returns false if all uploads together would use too many. */
  reserve(bytes: number): boolean {
    const more = bytes - this.#used;
    if (more <= 0) return true;
    if (MemoryBudget.#usedByAll + more > MAX_BUFFERED_BYTES) return false;
    MemoryBudget.#usedByAll += more;
    this.#used = bytes;
    return true;
  }

  /** Returns everything at the end of the upload. */
  release(): void {
    MemoryBudget.#usedByAll -= this.#used;
  }
}

/**
 * An upload with its memory: a buffer for the part that is being sent, and if possible one for the part that arrives
 * meanwhile. It keeps the memory that it gets until its end, so that an upload in progress does not fail because others
 * start. 60 stalled uploads by `Upload` of `@aws-sdk/lib-storage` need 310 to 1,640 MB, because that limits one upload
 * only.
 */
class Upload {
  readonly #bucket: Bucket;
  readonly #object: {
    Bucket: string;
    Key: string;
    ContentType: string;
    Metadata: { etag: string };
  };
  readonly #content: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  /** Aborted when a part fails, which would otherwise wait for more content. */
  readonly #failed = new AbortController();
  readonly #stop: AbortSignal;
  readonly #memory = new MemoryBudget();
  /** What has arrived and is in no part yet. */
  #rest: Buffer = Buffer.alloc(0);
  #buffer: Buffer = Buffer.allocUnsafe(PART_BYTES);
  #spare: Buffer | undefined;
  /** The request that sends the part in `#buffer`, if there is one. */
  #sending: Promise<void> | undefined;

  constructor(bucket: Bucket, key: BlobKey, content: Readable, options: WriteOptions) {
    const { signal, contentType: ContentType } = options;
    this.#bucket = bucket;
    // The store's own ETag does not change if only the type does.
    const Metadata = { etag: randomUUID() };
    this.#object = { Bucket: bucket.name, Key: bucket.keyOf(key), ContentType, Metadata };
    this.#content = content;
    this.#chunks = content[Symbol.asyncIterator]();
    this.#stop = AbortSignal.any([this.#failed.signal, ...(signal ? [signal] : [])]);
  }

  async run(): Promise<BlobInfo> {
    const { Metadata, ContentType: contentType } = this.#object;
    try {
      this.#stop.throwIfAborted();
      addAbortSignal(this.#stop, this.#content);
      const first = await this.#readPart();
      const size = await (first.length < PART_BYTES ? this.#put(first) : this.#putParts(first));
      return { size, etag: Metadata.etag, contentType };
    } catch (error) {
      this.#content.destroy();
      this.#stop.throwIfAborted();
      throw error;
    } finally {
      this.#memory.release();
    }
  }

  /**
   * Reads the next part. Only the last one is smaller than `PART_BYTES`, and may be empty.
   * @throws StoreUnavailableError if too much memory is in use
   */
  async #readPart(): Promise<Buffer> {
    await this.#freeBuffer();
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
      if (!this.#memory.reserve(length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
    }
    return this.#buffer.subarray(0, length);
  }

  /**
   * Makes `#buffer` one that no request is using: the spare one, as only one part is sent at a time, or the same again
   * once it is sent. A new one for each part would be garbage, which takes as much memory again before it is collected.
   */
  async #freeBuffer(): Promise<void> {
    if (this.#sending === undefined) return;
    if (this.#memory.reserve(2 * PART_BYTES)) {
      [this.#buffer, this.#spare] = [this.#spare ?? Buffer.allocUnsafe(PART_BYTES), this.#buffer];
    } else {
      await this.#sending;
    }
  }

  /** The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit. */
  async #put(Body: Buffer): Promise<number> {
    const command = new PutObjectCommand({ ...this.#object, Body });
    const { ETag } = await this.#bucket.change([this.#object.Key], (timeoutSignal) =>
      this.#bucket.send(command, this.#orStopped(timeoutSignal)),
    );
    expectS3(ETag);
    return Body.length;
  }

  async #putParts(first: Buffer): Promise<number> {
    const { Bucket, Key } = this.#object;
    const create = new CreateMultipartUploadCommand(this.#object);
    const created = await this.#bucket.call((timeoutSignal) =>
      this.#bucket.send(create, this.#orStopped(timeoutSignal)),
    );
    const UploadId = expectS3(created.UploadId);
    const upload = { Bucket, Key, UploadId };
    inProgress.add(UploadId);
    try {
      const { size, sent } = await this.#sendParts(first, upload);
      const MultipartUpload = { Parts: sent };
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload });
      // If this fails, the store may still complete it, so the parts must stay until a sweep.
      const { ETag } = await this.#bucket.change([Key], (timeoutSignal) =>
        this.#bucket.send(complete, this.#orStopped(timeoutSignal)),
      );
      expectS3(ETag);
      return size;
    } finally {
      inProgress.delete(UploadId);
    }
  }

  /** Sends each part while the next one arrives. */
  async #sendParts(first: Buffer, upload: { Bucket: string; Key: string; UploadId: string }) {
    const sent: CompletedPart[] = [];
    let size = 0;
    try {
      for (let Body = first; Body.length > 0; Body = await this.#readPart()) {
        await this.#sending;
        size += Body.length;
        if (size > MAX_OBJECT_BYTES) throw toTooLargeError();
        const PartNumber = sent.length + 1;
        const command = new UploadPartCommand({ ...upload, PartNumber, Body });
        this.#sending = this.#bucket
          .call((timeoutSignal) => this.#bucket.send(command, this.#orStopped(timeoutSignal)))
          .then(({ ETag }) => void sent.push({ PartNumber, ETag: expectS3(ETag) }));
        this.#sending.catch((error) => this.#failed.abort(error));
      }
      await this.#sending;
      return { size, sent };
    } catch (error) {
      // A part that arrives after the upload was aborted would stay in the store.
      this.#failed.abort(error);
      await this.#sending?.catch(() => {});
      const abort = new AbortMultipartUploadCommand(upload);
      const discard = (timeoutSignal: AbortSignal) =>
        this.#bucket.sendIfThere(abort, timeoutSignal);
      await this.#bucket.call(discard, 0.1).catch(() => {});
      throw error;
    }
  }

  #orStopped(timeoutSignal: AbortSignal): AbortSignal {
    return AbortSignal.any([timeoutSignal, this.#stop]);
  }
}

export function toTooLargeError(): FileTooLargeError {
  return new FileTooLargeError(`Files in this store have at most ${MAX_OBJECT_BYTES} bytes.`);
}
