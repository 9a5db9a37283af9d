import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { BlobDamagedError, type BlobInfo, type OpenBlob } from './blob-store.ts';
import { diskCodeOf } from './disk-error.ts';
import { FOOTER_BYTES, parseTrailer, type Trailer, trailerBytesOf } from './trailer.ts';
import { toOpenBlob } from './verify.ts';

/** Large enough that system calls cost little per byte. */
const BUFFER_BYTES = 256 * 1024;

/** Never follows a link, and never waits for the other end of a named pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Read first: the footer and, in nearly all cases, the JSON text. */
const TAIL_BYTES = 512;

/**
 * Opens a file of the store and reads its trailer. Returns undefined if the file does not exist.
 * @throws BlobDamagedError if the store did not create it, or if it is damaged
 */
export async function openFile(path: string): Promise<OpenBlob | undefined> {
  let handle: FileHandle | undefined;
  try {
    const file = await open(path, FLAGS);
    handle = file;
    return toOpenBlob({
      ...(await readOwnTrailer(file)),
      async *content({ start, end }) {
        // Node's file stream cannot read an empty range.
        if (start > end) return;
        yield* file.createReadStream({ start, end, highWaterMark: BUFFER_BYTES });
      },
      release: () => file.close(),
    });
  } catch (error) {
    await handle?.close();
    if (diskCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function statFile(path: string): Promise<BlobInfo | undefined> {
  const opened = await openFile(path);
  await opened?.close();
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
