import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BlobDamagedError } from '../blob-errors.ts';
import { diskCodeOf } from './disk-error.ts';
import { assertRealFolder } from './folders.ts';
import { FOOTER_BYTES, parseTrailer, type Trailer, trailerBytesOf } from './trailer.ts';

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
