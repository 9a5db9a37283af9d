import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { BlobInfo, BlobKey, WriteOptions } from './blob-store.ts';
import { withStoreErrors } from './disk-error.ts';
import { type Layout, placeIn } from './layout.ts';
import { withLocks } from './locks.ts';
import { type Trailer, toTrailer } from './trailer.ts';

const FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** Maximum bytes to buffer while the disk is busy; they are then written with one call. */
const BUFFERED_BYTES = 256 * 1024;

/**
 * Writes a file durably and atomically.
 *
 * D28: "A file becomes visible when it is complete. An interrupted upload leaves nothing behind. A file
 * whose upload was reported as successful is never lost." Content and trailer are written to a temporary
 * file and synced; then it is renamed, and the rename is synced. After that, the file never changes.
 */
export async function writeFile(
  layout: Layout,
  key: BlobKey,
  content: Readable,
  { contentType, signal }: WriteOptions,
): Promise<BlobInfo> {
  const file = layout.fileOf(key);
  signal?.throwIfAborted();
  const tmp = layout.newTmpFile();
  layout.uploads.add(tmp);
  const handle = await withStoreErrors(() => open(tmp, FLAGS, 0o666)).catch((error) => {
    layout.uploads.delete(tmp);
    throw error;
  });
  try {
    const sink = new FileSink(handle);
    await pipeline(content, sink, signal ? { signal } : {});
    signal?.throwIfAborted();
    const info = { size: sink.size, etag: randomUUID(), contentType };
    await withStoreErrors(() => finish(layout, handle, tmp, file, { info, crc32: sink.crc32 }));
    return info;
  } catch (error) {
    // Of two errors, the first one is thrown. A sweep removes what remains.
    await rm(tmp, { force: true }).catch(() => {});
    throw error;
  } finally {
    layout.uploads.delete(tmp);
    await handle.close();
  }
}

/**
 * Writes content to a file. Only disk errors become store errors: the content may fail with the same codes.
 */
class FileSink extends Writable {
  readonly #handle: FileHandle;
  size = 0;
  crc32 = 0;

  constructor(handle: FileHandle) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#handle = handle;
  }

  override _writev(
    pieces: readonly { readonly chunk: Buffer }[],
    callback: (error?: Error | null) => void,
  ): void {
    const chunks = pieces.map(({ chunk }) => chunk);
    const position = this.size;
    for (const chunk of chunks) {
      this.size += chunk.length;
      this.crc32 = crc32(chunk, this.crc32);
    }
    withStoreErrors(() => writeAll(this.#handle, chunks, position)).then(
      () => callback(),
      callback,
    );
  }
}

/** Writes all bytes. A nearly full disk accepts some of them, and fails on the next call. */
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
  await placeIn(layout, dirname(file), () => withLocks([file], () => rename(tmp, file)));
}
