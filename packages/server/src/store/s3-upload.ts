import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
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
  StoreUnavailableError,
  type WriteOptions,
} from './blob-store.ts';
import { copyObject, MAX_OBJECT_BYTES, toTooLargeError } from './s3-copy.ts';
import { type Bucket, toObjectHeaders } from './s3-objects.ts';

/** Smaller content is sent in one call, larger content in parts of this size, the smallest that S3 accepts. */
const PART_BYTES = 5 * 1024 * 1024;

/** How many bytes all uploads of this process may keep in memory, waiting for the store or for more content. */
const MAX_BUFFERED_BYTES = 96 * 1024 * 1024;

/** Begins the keys of this process's uploads. */
export const PROCESS = randomUUID();

/**
 * Writes an object atomically.
 *
 * D28: "A file becomes visible when it is complete. An interrupted upload leaves nothing behind. A file
 * whose upload was reported as successful is never lost." A single PUT has these properties. Parts are
 * assembled under a separate prefix, because the checksum is known only at the end, and so that a sweep finds what
 * killed processes have left, but never other programs' uploads. The store then copies the object to its key.
 */
export async function writeObject(
  bucket: Bucket,
  key: BlobKey,
  content: Readable,
  { signal, contentType }: WriteOptions,
): Promise<BlobInfo> {
  const target = bucket.keyOf(key);
  const memory = new Memory();
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  try {
    stop.throwIfAborted();
    addAbortSignal(stop, content);
    const parts = toParts(content, memory);
    const first = (await parts.next()).value as Buffer;
    const start = { size: 0, etag: randomUUID(), contentType, crc32: 0 };
    const info = add(start, first);
    if (first.length === PART_BYTES) {
      return await writeParts(bucket, target, start, prepend(first, parts), memory, failed, stop);
    }
    const object = { Bucket: bucket.name, Key: target, Body: first, ...toObjectHeaders(info) };
    // The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in transit.
    await bucket.change([target], (late) =>
      bucket.send(new PutObjectCommand(object), AbortSignal.any([stop, late])),
    );
    return info;
  } catch (error) {
    content.destroy();
    stop.throwIfAborted();
    throw error;
  } finally {
    memory.release();
  }
}

async function writeParts(
  bucket: Bucket,
  target: string,
  start: NewObject,
  parts: AsyncIterable<Buffer>,
  memory: Memory,
  failed: AbortController,
  stop: AbortSignal,
): Promise<BlobInfo> {
  const request = { Bucket: bucket.name, Key: `${bucket.uploads}${PROCESS}-${randomUUID()}` };
  const send = <T>(work: (signal: AbortSignal) => Promise<T>) =>
    bucket.call((late) => work(AbortSignal.any([stop, late])));
  const { UploadId } = await send((signal) =>
    bucket.send(new CreateMultipartUploadCommand(request), signal),
  );
  const upload = { ...request, UploadId };
  try {
    const { info, sent } = await sendParts();
    const complete = new CompleteMultipartUploadCommand({
      ...upload,
      MultipartUpload: { Parts: sent },
    });
    await bucket.change([target], async (late, assertHeld) => {
      const signal = AbortSignal.any([stop, late]);
      await bucket.send(complete, signal);
      assertHeld();
      await copyObject(bucket, request.Key, target, signal, toObjectHeaders(info));
    });
    return info;
  } finally {
    // Either the file is in place, or the first error is thrown; a sweep removes the rest.
    await bucket
      .call(async (signal) => {
        const abort = bucket.sendIfThere(new AbortMultipartUploadCommand(upload), signal);
        await Promise.allSettled([abort, bucket.delete(request.Key, signal)]);
      }, 0.1)
      .catch(() => {});
  }

  /** Sends each part while the next one arrives, if there is memory for two. */
  async function sendParts() {
    const sent: CompletedPart[] = [];
    let info = start;
    let sending: Promise<void> | undefined;
    try {
      for await (const Body of parts) {
        await sending;
        info = add(info, Body);
        if (info.size > MAX_OBJECT_BYTES) throw toTooLargeError();
        const PartNumber = sent.length + 1;
        const command = new UploadPartCommand({ ...upload, PartNumber, Body });
        sending = send((signal) => bucket.send(command, signal)).then(({ ETag }) => {
          sent.push({ PartNumber, ETag });
        });
        // Otherwise, a failure would wait for more content.
        sending.catch((error) => failed.abort(error));
        if (!memory.reserve(2 * PART_BYTES)) await sending;
      }
      await sending;
      return { info, sent };
    } catch (error) {
      // A part that arrives after the upload was aborted would stay in the store.
      failed.abort(error);
      await sending?.catch(() => {});
      throw error;
    }
  }
}

type NewObject = BlobInfo & { readonly crc32: number };

function add(object: NewObject, bytes: Buffer): NewObject {
  return { ...object, size: object.size + bytes.length, crc32: crc32(bytes, object.crc32) };
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
  let part = Buffer.allocUnsafe(PART_BYTES);
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
      part = Buffer.allocUnsafe(PART_BYTES);
      length = 0;
      isFirst = false;
    }
  }
  if (length > 0 || isFirst) yield part.subarray(0, length);
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}
