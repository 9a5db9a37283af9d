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
 * How many bytes all uploads of this process may keep in memory, waiting for the store or for more content. With less,
 * fewer slow uploads are possible at a time, and it is garbage that takes more: 60 stalled ones need 200 to 300 MiB,
 * of which an idle process has 115.
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
  { signal, contentType }: WriteOptions,
): Promise<BlobInfo> {
  const memory = new Memory();
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const etag = randomUUID();
  const object = {
    Bucket: bucket.name,
    Key: bucket.keyOf(key),
    ContentType: contentType,
    // The store's own ETag does not change if only the type does.
    Metadata: { etag },
  };
  try {
    stop.throwIfAborted();
    addAbortSignal(stop, content);
    const parts = toParts(content, memory);
    const first = (await parts.next()).value as Buffer;
    const size =
      first.length < PART_BYTES
        ? await putObject(bucket, { ...object, Body: first }, stop)
        : await writeParts(bucket, object, first, parts, memory, failed, stop);
    return { size, etag, contentType };
  } catch (error) {
    content.destroy();
    stop.throwIfAborted();
    throw error;
  } finally {
    memory.release();
  }
}

interface NewObject {
  readonly Bucket: string;
  readonly Key: string;
}

/** The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit. */
async function putObject(
  bucket: Bucket,
  object: NewObject & { readonly Body: Buffer },
  stop: AbortSignal,
): Promise<number> {
  const { ETag } = await bucket.change([object.Key], (late) =>
    bucket.send(new PutObjectCommand(object), AbortSignal.any([stop, late])),
  );
  expectS3(ETag);
  return object.Body.length;
}

async function writeParts(
  bucket: Bucket,
  object: NewObject,
  first: Buffer,
  parts: AsyncGenerator<Buffer, undefined>,
  memory: Memory,
  failed: AbortController,
  stop: AbortSignal,
): Promise<number> {
  const { Bucket, Key } = object;
  const create = new CreateMultipartUploadCommand(object);
  const created = await bucket.call((late) => bucket.send(create, AbortSignal.any([stop, late])));
  const UploadId = expectS3(created.UploadId);
  const upload = { Bucket, Key, UploadId };
  inProgress.add(UploadId);
  try {
    const { size, sent } = await sendParts();
    const MultipartUpload = { Parts: sent };
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload });
    // If this fails, the store may still complete it, so the parts must stay until a sweep.
    const { ETag } = await bucket.change([Key], (late) =>
      bucket.send(complete, AbortSignal.any([stop, late])),
    );
    expectS3(ETag);
    return size;
  } finally {
    inProgress.delete(UploadId);
  }

  /** Sends each part while the next one arrives, if there is memory for two. */
  async function sendParts() {
    const sent: CompletedPart[] = [];
    let size = 0;
    let sending: Promise<void> | undefined;
    try {
      let Body: Buffer | undefined = first;
      for (; Body !== undefined; Body = (await parts.next()).value) {
        await sending;
        size += Body.length;
        if (size > MAX_OBJECT_BYTES) throw toTooLargeError();
        const PartNumber = sent.length + 1;
        const command = new UploadPartCommand({ ...upload, PartNumber, Body });
        sending = bucket
          .call((late) => bucket.send(command, AbortSignal.any([stop, late])))
          .then(({ ETag }) => void sent.push({ PartNumber, ETag: expectS3(ETag) }));
        // Otherwise, a failure would wait for more content.
        sending.catch((error) => failed.abort(error));
        if (!memory.reserve(2 * PART_BYTES)) await sending;
      }
      await sending;
      return { size, sent };
    } catch (error) {
      // A part that arrives after the upload was aborted would stay in the store.
      failed.abort(error);
      await sending?.catch(() => {});
      const abort = new AbortMultipartUploadCommand(upload);
      await bucket.call((signal) => bucket.sendIfThere(abort, signal), 0.1).catch(() => {});
      throw error;
    }
  }
}

export function toTooLargeError(): FileTooLargeError {
  return new FileTooLargeError(`Files in this store have at most ${MAX_OBJECT_BYTES} bytes.`);
}

let bufferedBytes = 0;

/**
 * The memory of an upload. It keeps what it gets until its end, so that an upload in progress does not fail because
 * others start. 60 stalled uploads by `Upload` of `@aws-sdk/lib-storage` need 310 to 1,640 MB, because that limits one
 * upload only.
 */
class Memory {
  #bytes = 0;

  /** Returns whether the upload may keep that many bytes in all. */
  reserve(bytes: number): boolean {
    const more = Math.max(0, bytes - this.#bytes);
    if (bufferedBytes + more > MAX_BUFFERED_BYTES) return more === 0;
    bufferedBytes += more;
    this.#bytes += more;
    return true;
  }

  release(): void {
    bufferedBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/**
 * Splits content into parts. Only the last part may be smaller; there is at least one, which may be empty.
 * @throws StoreUnavailableError if too much memory is in use
 */
async function* toParts(content: Readable, memory: Memory): AsyncGenerator<Buffer, undefined> {
  let part: Buffer = Buffer.allocUnsafe(PART_BYTES);
  let spare: Buffer | undefined;
  let length = 0;
  let isFirst = true;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      // Copied at once, because garbage of many chunks takes as much memory as the parts.
      const copied = chunk.copy(part, length, at);
      at += copied;
      length += copied;
      if (!memory.reserve(length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
      if (length < PART_BYTES) continue;
      yield part;
      // The part before it was sent, and so is this one if there is no memory for two. A new buffer for each part would
      // be garbage, which takes as much memory again before it is collected.
      if (memory.reserve(2 * PART_BYTES)) {
        [part, spare] = [spare ?? Buffer.allocUnsafe(PART_BYTES), part];
      }
      length = 0;
      isFirst = false;
    }
  }
  if (length > 0 || isFirst) yield part.subarray(0, length);
}
