import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type CompletedPart, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import {
  type BlobInfo,
  type BlobKey,
  StoreUnavailableError,
  type WriteOptions,
} from './blob-store.ts';
import { copyObject } from './s3-copy.ts';
import {
  type Bucket,
  deleteObject,
  type ObjectInfo,
  putInParts,
  send,
  toObjectHeaders,
  type UploadOfParts,
  withObjectLocks,
} from './s3-objects.ts';

/** How many parts of one upload are held in memory; all but one are being sent to the store. */
const MAX_PARTS = 3;

/** Smaller content is sent in one call, larger content in parts of this size. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * How many bytes all uploads of this process may hold in memory, waiting for the store or for more content.
 */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

let heldBytes = 0;

/**
 * Writes an object atomically.
 *
 * D28: "A file becomes visible when it is complete. An interrupted upload leaves nothing behind. A file
 * whose upload was reported as successful is never lost." A single PUT has these properties. Parts are
 * assembled under a separate prefix, so that a sweep finds the parts that killed processes have left, but
 * never other programs' uploads. The store then copies the object to its final key.
 */
export async function writeObject(
  bucket: Bucket,
  key: BlobKey,
  content: Readable,
  { signal, contentType }: WriteOptions,
): Promise<BlobInfo> {
  const target = bucket.keys.of(key);
  const memory = new HeldMemory();
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  try {
    stop.throwIfAborted();
    addAbortSignal(stop, content);
    const parts = toParts(content, memory);
    const first = (await parts.next()).value as Buffer;
    let info = { size: first.length, etag: randomUUID(), contentType, crc32: crc32(first) };
    if (first.length < PART_BYTES) {
      await withObjectLocks(bucket, [target], (lock) =>
        putWhole(bucket, target, first, info, either(stop, lock)),
      );
      return info;
    }
    const Key = `${bucket.keys.uploads}${randomUUID()}`;
    bucket.uploads.add(Key);
    try {
      const all = async function* () {
        yield first;
        for await (const part of parts) {
          const size = info.size + part.length;
          info = { ...info, size, crc32: crc32(part, info.crc32) };
          yield part;
        }
      };
      const sendAll = (upload: UploadOfParts) =>
        sendParts(bucket, upload, all(), memory, failed, stop);
      await putInParts(bucket, { Key }, sendAll, stop);
      const source = { key: Key, version: undefined };
      await withObjectLocks(bucket, [target], (lock) =>
        copyObject(bucket, source, target, info, either(stop, lock), toObjectHeaders(info)),
      );
      return info;
    } finally {
      // Either the file is in place, or the first error is thrown; a sweep removes the rest.
      await deleteObject(bucket, Key).catch(() => {});
      bucket.uploads.delete(Key);
    }
  } catch (error) {
    content.destroy();
    stop.throwIfAborted();
    throw error;
  } finally {
    memory.release();
  }
}

function either(stop: AbortSignal, lock: AbortSignal | undefined): AbortSignal {
  return lock ? AbortSignal.any([stop, lock]) : stop;
}

class HeldMemory {
  #bytes = 0;

  /** Whether the upload may hold that many bytes. It keeps what it gets until its end. */
  mayHold(bytes: number): boolean {
    const more = Math.max(0, bytes - this.#bytes);
    if (heldBytes + more > MAX_HELD_BYTES) return more === 0;
    heldBytes += more;
    this.#bytes += more;
    return true;
  }

  release(): void {
    heldBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/**
 * Splits content into parts. Only the last part may be smaller; there is at least one, which may be empty.
 * @throws StoreUnavailableError if too much memory is in use
 */
async function* toParts(content: Readable, memory: HeldMemory): AsyncGenerator<Buffer, undefined> {
  let chunks: Buffer[] = [];
  let length = 0;
  let count = 0;
  const next = () => {
    const part = Buffer.concat(chunks, length);
    chunks = [];
    length = 0;
    count += 1;
    return part;
  };
  for await (const chunk of content as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0; ) {
      const taken = rest.subarray(0, PART_BYTES - length);
      rest = rest.subarray(taken.length);
      length += taken.length;
      chunks.push(taken);
      if (!memory.mayHold(length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
      if (length === PART_BYTES) yield next();
    }
  }
  if (length > 0 || count === 0) yield next();
}

async function putWhole(
  bucket: Bucket,
  key: string,
  body: Buffer,
  info: ObjectInfo,
  signal: AbortSignal,
): Promise<void> {
  // The SDK also signs the SHA-256 of a body in memory, so the store rejects content that changed in
  // transit.
  const put = { Bucket: bucket.name, Key: key, Body: body, ...toObjectHeaders(info) };
  const command = new PutObjectCommand(put);
  await send(bucket, command, signal);
}

/**
 * Sends parts in parallel, as many as memory permits. `Upload` from `@aws-sdk/lib-storage` has no limit
 * across uploads, and keeps reading the content after a part has failed.
 * @param failed aborted with the first error, which also ends the content
 */
async function sendParts(
  bucket: Bucket,
  upload: UploadOfParts,
  content: AsyncIterable<Buffer>,
  memory: HeldMemory,
  failed: AbortController,
  stop: AbortSignal,
): Promise<CompletedPart[]> {
  const parts: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  const sendPart = async (Body: Buffer, PartNumber: number): Promise<void> => {
    const command = new UploadPartCommand({ ...upload, PartNumber, Body });
    try {
      const { ETag } = await send(bucket, command, stop);
      parts.push({ PartNumber, ETag });
    } catch (error) {
      failed.abort(error);
    }
  };
  let count = 0;
  let places = 1;
  try {
    for await (const part of content) {
      count += 1;
      const sending = sendPart(part, count);
      underWay.add(sending);
      sending.then(() => underWay.delete(sending));
      if (places < MAX_PARTS && memory.mayHold((places + 1) * PART_BYTES)) places += 1;
      while (underWay.size >= places) await Promise.race(underWay);
    }
  } catch (error) {
    failed.abort(error);
  }
  await Promise.all(underWay);
  stop.throwIfAborted();
  return parts;
}
