import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { BlobInfo, BlobKey, WriteOptions } from '../blob-store.ts';
import { countBuffer } from '../collect-buffers.ts';
import { createMd5, type Md5 } from '../md5/create-md5.ts';
import { withStoreErrors } from './disk-error.ts';
import { type Layout, placeIn } from './folders.ts';
import { withFileLocks } from './lock-files.ts';
import { BUFFER_BYTES, giveBackBuffer, takeBuffer } from './open-file.ts';
import { type Trailer, toTrailer } from './trailer.ts';

const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * D28: "A file is visible only when whole: a broken upload leaves nothing, and what was answered with
 * success is never lost." Content and trailer are written to a temporary file and made durable; then
 * it is renamed, and the rename made durable. From then on nobody changes it.
 */
export async function writeFile(
  layout: Layout,
  key: BlobKey,
  content: Readable,
  { contentType, size, signal }: WriteOptions,
): Promise<BlobInfo> {
  const file = layout.fileOf(key);
  signal?.throwIfAborted();
  const tmp = layout.newTmpFile();
  const handle = await withStoreErrors(() => open(tmp, FLAGS, 0o666));
  layout.uploads.add(tmp);
  try {
    const sink = new ContentSink(handle, size);
    await pipeline(content, sink, signal ? { signal } : {});
    const { size: written, md5, crc32 } = await sink.content();
    const info = { size: written, etag: md5, contentType };
    signal?.throwIfAborted();
    await withStoreErrors(() => finish(layout, handle, tmp, file, { info, crc32 }));
    return info;
  } catch (error) {
    // Of two failures, the first one is told. A sweep removes what stays.
    await rm(tmp, { force: true }).catch(() => {});
    throw error;
  } finally {
    layout.uploads.delete(tmp);
    await handle.close();
  }
}

type Callback = (error?: Error | null) => void;

/** What a content was found to be. */
interface Content {
  readonly size: number;
  readonly md5: string;
  readonly crc32: number;
}

/**
 * Takes a content, writes it to a file, and hashes it. Each piece is copied at once, so that what came
 * from the socket is garbage while it is young; while one buffer is written the next is filled. Nothing
 * is made durable before the end: the disk writes back by itself what it has got.
 */
class ContentSink extends Writable {
  readonly #handle: FileHandle;
  readonly #expected: number | undefined;
  readonly #md5: Md5 = createMd5();
  #buffer: Buffer | undefined;
  #used = 0;
  #size = 0;
  #crc32 = 0;
  #flushed = 0;
  /** The buffer on its way to the file; rejected for good where that failed. */
  #writing: Promise<void> | undefined;

  /** @param expected bytes that must come; undefined where that is not known */
  constructor(handle: FileHandle, expected: number | undefined) {
    super({ highWaterMark: BUFFER_BYTES, decodeStrings: true });
    this.#handle = handle;
    this.#expected = expected;
  }

  /** To be asked for when the stream has finished. */
  async content(): Promise<Content> {
    try {
      return { size: this.#size, md5: await this.#md5.digest(), crc32: this.#crc32 };
    } finally {
      this.#md5.destroy();
    }
  }

  override _write(chunk: Buffer, _: string, callback: Callback): void {
    countBuffer(chunk.length);
    this.#size += chunk.length;
    if (this.#expected !== undefined && this.#size > this.#expected) {
      callback(this.#wrongSize());
      return;
    }
    this.#crc32 = crc32(chunk, this.#crc32);
    const hashed = this.#md5.update(chunk);
    const taken = this.#take(chunk);
    if (hashed === undefined && taken === undefined) callback();
    else Promise.all([hashed, taken]).then(() => callback(), callback);
  }

  override _final(callback: Callback): void {
    if (this.#expected !== undefined && this.#size !== this.#expected) callback(this.#wrongSize());
    else this.#finish().then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: Callback): void {
    if (!this.writableFinished) this.#md5.destroy();
    if (this.#buffer) giveBackBuffer(this.#buffer);
    this.#buffer = undefined;
    // The file must not be closed under a write.
    const end = () => callback(error);
    if (this.#writing) this.#writing.then(end, end);
    else end();
  }

  /** Undefined where all of the chunk is copied already. */
  #take(chunk: Buffer): Promise<void> | undefined {
    for (let at = 0; at < chunk.length; ) {
      if (this.#used === BUFFER_BYTES) {
        if (this.#writing) {
          const rest = chunk.subarray(at);
          return this.#writing.then(() => this.#take(rest));
        }
        this.#flush();
      }
      this.#buffer ??= takeBuffer();
      const count = chunk.copy(this.#buffer, this.#used, at);
      this.#used += count;
      at += count;
    }
    return undefined;
  }

  #flush(): void {
    const buffer = this.#buffer as Buffer;
    const bytes = buffer.subarray(0, this.#used);
    const position = this.#flushed;
    this.#flushed += this.#used;
    this.#buffer = undefined;
    this.#used = 0;
    const write = async () => {
      try {
        await withStoreErrors(() => writeAll(this.#handle, [bytes], position));
        this.#writing = undefined;
      } finally {
        giveBackBuffer(buffer);
      }
    };
    this.#writing = write();
    // Told to whoever comes next.
    this.#writing.catch(() => {});
  }

  async #finish(): Promise<void> {
    await this.#writing;
    if (this.#used > 0) this.#flush();
    await this.#writing;
  }

  #wrongSize(): Error {
    return new Error(`There came ${this.#size} bytes of content instead of ${this.#expected}.`);
  }
}

/** Writes all of it. A disk that is nearly full takes a part, and fails at the next call. */
async function writeAll(
  handle: FileHandle,
  chunks: readonly Buffer[],
  position: number,
): Promise<void> {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
  const { bytesWritten } = await handle.writev(chunks, position);
  if (bytesWritten === bytes) return;
  await writeAll(handle, [Buffer.concat(chunks).subarray(bytesWritten)], position + bytesWritten);
}

async function finish(
  layout: Layout,
  handle: FileHandle,
  tmp: string,
  file: string,
  trailer: Trailer,
): Promise<void> {
  await writeAll(handle, [toTrailer(trailer)], trailer.info.size);
  await handle.sync();
  const place = () => withFileLocks(layout, [file], () => rename(tmp, file));
  // Swept away, for nothing had come for so long.
  const isLost = async () => (await handle.stat()).nlink === 0;
  await placeIn(layout.files, dirname(file), place, isLost);
}
