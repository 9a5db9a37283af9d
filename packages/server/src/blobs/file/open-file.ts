import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { BlobDamagedError, type BlobInfo, type ByteRange, type OpenBlob } from '../blob-store.ts';
import { sendVerified } from '../verify.ts';
import { diskCodeOf } from './disk-error.ts';
import { assertRealFolder } from './folders.ts';
import { FOOTER_BYTES, parseTrailer, type Trailer, trailerBytesOf } from './trailer.ts';

/** Large enough that system calls cost little per byte. */
const BUFFER_BYTES = 256 * 1024;

/** Never follows a link, and never waits for the other end of a named pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Read first: the footer and, in nearly all cases, the JSON text. */
const TAIL_BYTES = 512;

export interface OpenedFile extends Trailer {
  readonly handle: FileHandle;
}

/**
 * Opens a file of the store and reads its trailer. Returns undefined if the file does not exist.
 *
 * @throws BlobDamagedError if the store did not create it, or if it is damaged
 */
export async function openFile(path: string): Promise<OpenedFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS);
    await assertRealFolder(dirname(path));
    return { handle, ...(await readOwnTrailer(handle)) };
  } catch (error) {
    await handle?.close();
    // The folder may have been removed with its last file since then.
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a file's trailer. Throws the same errors as `openFile`. */
export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const opened = await openFile(path);
  await opened?.handle.close();
  return opened?.info;
}

async function readOwnTrailer(handle: FileHandle): Promise<Trailer> {
  const stats = await handle.stat();
  try {
    if (!stats.isFile()) throw new Error('it is not a regular file');
    const tail = await readTail(handle, stats.size, TAIL_BYTES);
    const trailerBytes = trailerBytesOf(tail.subarray(Math.max(0, tail.length - FOOTER_BYTES)));
    const trailer =
      trailerBytes <= tail.length
        ? tail.subarray(tail.length - trailerBytes)
        : await readTail(handle, stats.size, trailerBytes);
    return parseTrailer(trailer, stats.size);
  } catch (error) {
    if (diskCodeOf(error) !== undefined) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new BlobDamagedError(`A file is damaged: ${reason}.`, { cause: error });
  }
}

async function readTail(handle: FileHandle, size: number, bytes: number): Promise<Buffer> {
  const start = Math.max(0, size - bytes);
  const tail = Buffer.alloc(size - start);
  const { bytesRead } = await handle.read(tail, 0, tail.length, start);
  return tail.subarray(0, bytesRead);
}

/** Wraps an open file. Its stream closes the file when the stream ends, fails or is destroyed. */
export function toOpenBlob({ handle, info, crc32: sum }: OpenedFile): OpenBlob {
  let isTaken = false;
  const take = (range: ByteRange = { start: 0, end: info.size - 1 }): Readable => {
    if (isTaken) throw new TypeError('The file has already been read or closed.');
    isTaken = true;
    const { start, end } = { ...range, end: Math.min(range.end, info.size - 1) };
    if (start > end) return toEmptyStream(handle);
    return handle.createReadStream({ start, end, highWaterMark: BUFFER_BYTES });
  };
  return {
    info,
    read: take,
    async sendTo(target, range) {
      const { start, end } = range ?? { start: 0, end: info.size - 1 };
      const isAll = start === 0 && end === info.size - 1;
      const file = take(range);
      const expected = { bytes: end - start + 1, crc32: isAll ? sum : undefined };
      try {
        await sendVerified(file, expected, target);
      } finally {
        file.destroy();
        await handle.close();
      }
    },
    async close() {
      if (isTaken) return;
      isTaken = true;
      await handle.close();
    },
  };
}

/** For a file without content: Node's file stream cannot read an empty range. */
function toEmptyStream(handle: FileHandle): Readable {
  return new Readable({
    read() {
      this.push(null);
    },
    destroy(error, callback) {
      handle.close().then(() => callback(error), callback);
    },
  });
}
