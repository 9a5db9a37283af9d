import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { BlobDamagedError, type BlobInfo, type ByteRange, type OpenBlob } from '../blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { assertRealFolder } from './folders.ts';
import { FOOTER_BYTES, parseTrailer, type Trailer, trailerBytesOf } from './trailer.ts';

/** Large enough that a call of the system costs little for each byte. */
export const BUFFER_BYTES = 256 * 1024;

/** Buffers that are kept for later. */
const MOST_FREE = 16;

const free: Buffer[] = [];

/** Never through a link, and never waiting for the other end of a pipe that somebody put there. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Read at once: footer, and the JSON text in nearly all cases. */
const TAIL_BYTES = 512;

export interface OpenedFile extends Trailer {
  readonly handle: FileHandle;
}

/**
 * Opens a file of the store and reads its trailer. Undefined where there is none.
 *
 * @throws BlobDamagedError if it is no file of the store, or a damaged one
 */
export async function openFile(path: string): Promise<OpenedFile | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, FLAGS);
    await assertRealFolder(dirname(path));
    return { handle, ...(await readOwnTrailer(handle)) };
  } catch (error) {
    await handle?.close();
    // The folder may have been removed with its last file since.
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @throws BlobDamagedError for what is no file of the store, or a damaged one */
async function readOwnTrailer(handle: FileHandle): Promise<Trailer> {
  const stats = await handle.stat();
  try {
    if (!stats.isFile()) throw new Error('it is no regular file');
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

/**
 * A buffer for bytes on their way to or from a disk, used again and again: to make new ones for each piece
 * of a large file keeps the garbage collector busier than the disk.
 */
export function takeBuffer(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/** Gives a buffer back that nobody reads or writes any more. */
export function giveBackBuffer(buffer: Buffer): void {
  if (free.length < MOST_FREE) free.push(buffer);
}

/** A stream owns the open file: it is closed when the stream ends, fails, or is destroyed. */
export function toOpenBlob({ handle, info, crc32 }: OpenedFile): OpenBlob {
  let isTaken = false;
  const take = ({ start, end }: ByteRange = { start: 0, end: info.size - 1 }): ByteRange => {
    if (isTaken) throw new TypeError('The file was read or closed before.');
    isTaken = true;
    return { start, end: Math.min(end, info.size - 1) };
  };
  return {
    info,
    read(range?: ByteRange) {
      const { start, end } = take(range);
      if (start <= end) return handle.createReadStream({ start, end });
      // A file without content: Node's stream takes no range of no bytes.
      return new Readable({
        read() {
          this.push(null);
        },
        destroy(error, callback) {
          handle.close().then(() => callback(error), callback);
        },
      });
    },
    async sendTo(target: Writable, range?: ByteRange) {
      const part = take(range);
      try {
        const isWhole = part.start === 0 && part.end === info.size - 1;
        await sendFileTo(handle, part, target, isWhole ? crc32 : undefined);
      } finally {
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

/**
 * Writes a part of a file to a stream and ends it, no faster than it is taken. While one buffer is on its way out
 * the next is read; a buffer is used again when its bytes have left.
 *
 * @param expectedSum CRC-32 of the part; the last bytes of one that has another are not written
 * @throws BlobDamagedError for such a part, or a file that ends within it; the stream is destroyed unless
 *   nothing was written
 * @throws Error where the file cannot be read to the end of the part, or the stream closes before its
 *   end; the stream is destroyed then
 */
async function sendFileTo(
  handle: FileHandle,
  { start, end }: ByteRange,
  target: Writable,
  expectedSum?: number,
): Promise<void> {
  const buffers = [takeBuffer(), takeBuffer()] as const;
  const leaving = [false, false];
  let isBegun = false;
  let wake = () => {};
  const onClose = () => wake();
  target.on('close', onClose);
  const until = async (isDone: () => boolean) => {
    while (!isDone()) {
      if (target.destroyed) throw target.errored ?? gone();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  try {
    let turn = 0;
    let sum = 0;
    for (let at = start; at <= end; turn = 1 - turn) {
      const [which, buffer] = [turn, buffers[turn] as Buffer];
      await until(() => !leaving[which]);
      const { bytesRead } = await handle.read(buffer, 0, Math.min(BUFFER_BYTES, end - at + 1), at);
      if (bytesRead === 0) throw new BlobDamagedError('A file ends before its content does.');
      const bytes = buffer.subarray(0, bytesRead);
      if (expectedSum !== undefined) sum = crc32(bytes, sum);
      const isLast = at + bytesRead > end;
      if (isLast && expectedSum !== undefined && sum !== expectedSum) {
        throw new BlobDamagedError('A file is damaged: its content has another CRC-32.');
      }
      if (target.destroyed) throw target.errored ?? gone();
      leaving[which] = true;
      isBegun = true;
      target.write(bytes, () => {
        leaving[which] = false;
        wake();
      });
      at += bytesRead;
    }
    await until(() => !leaving[0] && !leaving[1]);
    target.end();
  } catch (error) {
    if (isBegun || !(error instanceof BlobDamagedError)) target.destroy();
    throw error;
  } finally {
    target.off('close', onClose);
    // A buffer that is still on its way belongs to the stream.
    for (const [index, buffer] of buffers.entries()) if (!leaving[index]) giveBackBuffer(buffer);
  }
}

/** Named as Node names a client that left. */
function gone(): Error {
  return Object.assign(new Error('The reader went away.'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}

/**
 * What the trailer of a file says. Undefined where there is none.
 *
 * @throws BlobDamagedError if it is no file of the store, or a damaged one
 */
export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const opened = await openFile(path);
  await opened?.handle.close();
  return opened?.info;
}
