import { randomUUID } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import {
  type BlobInfo,
  type BlobKey,
  StoreUnavailableError,
  type WriteOptions,
} from '../blob-store.ts';
import { countBuffer } from '../collect-buffers.ts';
import { createMd5, type Md5 } from '../md5/create-md5.ts';
import {
  type Bucket,
  deleteObject,
  putInParts,
  type SentPart,
  toCallOptions,
  toObjectHeaders,
  type UploadOfParts,
  withObjectLocks,
} from './bucket.ts';
import { copyObject } from './copy-blob.ts';
import { withS3Errors } from './to-s3-error.ts';

/** Parts on their way at once. Each has one buffer, used again and again: the memory of an upload. */
const PARALLEL_PARTS = 3;

const NOTHING = { number: 0, length: 0 };

/** A content up to this size is held in memory and sent at once; a larger one in parts of this size. */
const PART_BYTES = 8 * 1024 * 1024;

/** S3, "Multipart upload limits": "Maximum number of parts per upload: 10,000". */
const MAX_PARTS = 10_000;

/** Bytes of all uploads of this process that wait in memory for the store, or for more of their content. */
const MOST_HELD_BYTES = 256 * 1024 * 1024;

let heldBytes = 0;

/**
 * D28: "A file is visible only when whole: a broken upload leaves nothing, and what was answered with
 * success is never lost." One PUT does that. Parts are put together under a name of their own, and the
 * store copies them to their place when their MD5 is known: it cannot be told to them afterwards.
 */
export async function writeObject(
  bucket: Bucket,
  key: BlobKey,
  content: Readable,
  options: WriteOptions,
): Promise<BlobInfo> {
  const { signal, contentType } = options;
  const target = bucket.keys.of(key);
  const md5 = createMd5();
  const memory = new HeldMemory();
  try {
    signal?.throwIfAborted();
    if (signal) addAbortSignal(signal, content);
    let size = 0;
    const chunks = countContent(content, md5, options.size, (bytes) => {
      size = bytes;
    });
    const first: Buffer[] = [];
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      if (!memory.take(next.value.length)) {
        throw new StoreUnavailableError('Too many uploads to the object store are under way.');
      }
      first.push(next.value);
      if (size > PART_BYTES) break;
    }
    const toInfo = async () => {
      return { size, etag: await md5.digest(), contentType };
    };
    if (size <= PART_BYTES) {
      const info = await toInfo();
      const body = Buffer.concat(first, size);
      await withObjectLocks(bucket, [target], () => putWhole(bucket, target, body, info, signal));
      return info;
    }
    return await inParts(bucket, concat(first, chunks), options, memory, async (source) => {
      const info = await toInfo();
      const parts = { key: source, version: undefined };
      await withObjectLocks(bucket, [target], () =>
        copyObject(bucket, parts, target, info, signal),
      );
      return info;
    });
  } catch (error) {
    content.destroy();
    signal?.throwIfAborted();
    throw error;
  } finally {
    md5.destroy();
    memory.release();
  }
}

/** Memory of one upload. */
class HeldMemory {
  #bytes = 0;

  /** Whether there was so much left. */
  take(bytes: number): boolean {
    if (heldBytes + bytes > MOST_HELD_BYTES) return false;
    heldBytes += bytes;
    this.#bytes += bytes;
    return true;
  }

  release(): void {
    heldBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/**
 * The pieces of a content, hashed on their way.
 *
 * @throws Error where the content has another length than was told
 */
async function* countContent(
  content: Readable,
  md5: Md5,
  expected: number | undefined,
  onBytes: (size: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    countBuffer(chunk.length);
    size += chunk.length;
    onBytes(size);
    if (expected !== undefined && size > expected) throw wrongSize(expected, 'more');
    await md5.update(chunk);
    yield chunk;
  }
  if (expected !== undefined && size < expected) throw wrongSize(expected, `${size}`);
}

function wrongSize(expected: number, found: string): Error {
  return new Error(`The content should have ${expected} bytes, and has ${found}.`);
}

async function* concat(first: Buffer[], rest: AsyncIterable<Buffer>) {
  for (let chunk = first.shift(); chunk; chunk = first.shift()) yield chunk;
  yield* rest;
}

async function putWhole(
  { client, name }: Bucket,
  key: string,
  body: Buffer,
  info: BlobInfo,
  signal: AbortSignal | undefined,
): Promise<void> {
  const command = new PutObjectCommand({
    Bucket: name,
    Key: key,
    Body: body,
    ContentMD5: Buffer.from(info.etag, 'hex').toString('base64'),
    ...toObjectHeaders(info),
  });
  await withS3Errors(() => client.send(command, toCallOptions(signal)), signal);
}

/** Sends a content to an object of its own, and removes it when it has been used. */
async function inParts<T>(
  bucket: Bucket,
  content: AsyncIterator<Buffer, void>,
  { size = 0, signal }: WriteOptions,
  memory: HeldMemory,
  use: (key: string) => Promise<T>,
): Promise<T> {
  const Key = `${bucket.keys.uploads}${randomUUID()}`;
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  const send = (upload: UploadOfParts) =>
    sendParts(bucket, upload, content, partBytes, (bytes) => memory.take(bytes), signal);
  bucket.uploads.add(Key);
  try {
    await putInParts(bucket, { Key }, send, signal);
    return await use(Key);
  } finally {
    // The file is in its place, or the first failure is told: a sweep removes what stays.
    await deleteObject(bucket, Key).catch(() => {});
    bucket.uploads.delete(Key);
  }
}

/**
 * Sends a content in parts of one size. The SDK's own `Upload` makes new buffers for each part, which
 * took 130 MB, and goes on to the end of the content when a part has failed.
 *
 * @param content pieces that are gone when the next one is asked for
 * @param takeMemory whether there is memory for one more part; the upload has that of one already
 */
async function sendParts(
  { client }: Bucket,
  upload: UploadOfParts,
  content: AsyncIterator<Buffer, void>,
  partBytes: number,
  takeMemory: (bytes: number) => boolean,
  signal?: AbortSignal,
): Promise<SentPart[]> {
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const parts: SentPart[] = [];
  let rest: Buffer | undefined;
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** Fills a part. Bytes used; fewer than there is room for at the end. */
  async function fill(part: Buffer): Promise<{ readonly number: number; readonly length: number }> {
    let length = 0;
    while (length < part.length) {
      stop.throwIfAborted();
      if (!rest) {
        const next = await content.next();
        if (next.done) break;
        rest = next.value;
      }
      const used = rest.copy(part, length);
      length += used;
      rest = used < rest.length ? rest.subarray(used) : undefined;
    }
    if (length > 0) count++;
    return { number: count, length };
  }

  async function sendSome(sender: number): Promise<void> {
    let buffer: Buffer | undefined;
    for (;;) {
      const filled = turn.then(() => {
        if (buffer === undefined && sender > 0 && !takeMemory(partBytes)) return NOTHING;
        buffer ??= Buffer.allocUnsafeSlow(partBytes);
        return fill(buffer);
      });
      turn = filled.catch(() => {});
      const { number, length } = await filled;
      if (buffer === undefined || length === 0) return;
      const Body = buffer.subarray(0, length);
      const part = new UploadPartCommand({ ...upload, PartNumber: number, Body });
      const { ETag } = await withS3Errors(() => client.send(part, toCallOptions(stop)), signal);
      parts.push({ PartNumber: number, ETag });
      if (length < partBytes) return;
    }
  }

  const senders = Array.from({ length: PARALLEL_PARTS }, (_, sender) =>
    sendSome(sender).catch((error) => {
      // The first failure is what is told of all others.
      failed.abort(error);
    }),
  );
  await Promise.all(senders);
  stop.throwIfAborted();
  return parts;
}
