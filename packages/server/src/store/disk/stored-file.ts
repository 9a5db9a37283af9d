import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { BlobDamagedError, type BlobInfo, type ByteRange, type WriteOptions } from '@berth/storage';
import { freeChunk, type ServerBlob, toServerBlob } from '../server-store.ts';
import { diskCodeOf, withDiskErrors } from './file-system.ts';

/*
 * A stored file is its content and a trailer:
 *
 *   content | JSON: size, ETag, CRC-32, content type | length of the JSON | CRC-32 of the JSON | BERTHv2
 *
 * The numbers have four bytes, big-endian. A file without an intact trailer is damaged. Stored files must stay readable.
 */
const MAGIC = Buffer.from('BERTHv2\n');
const FOOTER_BYTES = 8 + MAGIC.length;

/** Several times the longest possible content type of a request. */
const MAX_TRAILER_BYTES = 64 * 1024;

/** Large enough that system calls cost little per byte. */
const BUFFER_BYTES = 256 * 1024;

/** Symbolic links are never followed. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
/** Does not wait for the other end of a named pipe. */
const READ = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);

/** Writes a new file durably. The caller removes the file if this fails. */
export async function writeStoredFile(
  path: string,
  content: Readable,
  { contentType, signal }: WriteOptions,
): Promise<BlobInfo> {
  const handle = await withDiskErrors(() => open(path, CREATE, 0o666));
  try {
    const file = new NewFile(handle, contentType);
    await pipeline(content, file, signal ? { signal } : {});
    return file.info;
  } finally {
    await handle.close();
  }
}

/**
 * Writes content and trailer, and syncs them at the end. Only errors of the disk become errors of the store: the
 * content may fail with the same codes.
 */
class NewFile extends Writable {
  readonly #handle: FileHandle;
  readonly #contentType: string;
  readonly #etag = randomUUID();
  #size = 0;
  #sum = 0;

  constructor(handle: FileHandle, contentType: string) {
    // Chunks that arrive while the disk is busy are then written in one call.
    super({ highWaterMark: BUFFER_BYTES });
    this.#handle = handle;
    this.#contentType = contentType;
  }

  get info(): BlobInfo {
    return { size: this.#size, etag: this.#etag, contentType: this.#contentType };
  }

  override _writev(
    pieces: readonly { readonly chunk: Buffer }[],
    callback: (error?: Error | null) => void,
  ): void {
    const chunks = pieces.map(({ chunk }) => chunk);
    const position = this.#size;
    for (const chunk of chunks) {
      this.#size += chunk.length;
      this.#sum = crc32(chunk, this.#sum);
    }
    const write = async () => {
      await writeAll(this.#handle, chunks, position);
      for (const chunk of chunks) freeChunk(chunk);
    };
    withDiskErrors(write).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    const finish = async () => {
      await writeAll(this.#handle, [toTrailer(this.info, this.#sum)], this.#size);
      await this.#handle.sync();
    };
    withDiskErrors(finish).then(() => callback(), callback);
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

/**
 * Opens a file and reads its trailer.
 * @param name what messages call the file
 * @throws BlobDamagedError if it is damaged or was not written by this store; a file system error if it does not exist
 */
export async function openStoredFile(path: string, name: string): Promise<ServerBlob> {
  const handle = await open(path, READ);
  /** For the next chunks: allocating new ones would cost more than reading. */
  const buffers: Buffer[] = [];
  try {
    return toServerBlob({
      name,
      ...(await readTrailer(handle, name)),
      content: (range) => readContent(handle, range, buffers),
      recycle: (chunk) => buffers.push(Buffer.from(chunk.buffer)),
      release: () => handle.close(),
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** @param buffers those that can be reused */
async function* readContent(
  handle: FileHandle,
  { start, end }: ByteRange,
  buffers: Buffer[],
): AsyncGenerator<Buffer> {
  const bytes = Math.min(end - start + 1, BUFFER_BYTES);
  for (let position = start; position <= end; ) {
    const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(bytes);
    const length = Math.min(end - position + 1, BUFFER_BYTES);
    const { bytesRead } = await withDiskErrors(() => handle.read(buffer, 0, length, position));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function toTrailer({ size, etag, contentType }: BlobInfo, sum: number): Buffer {
  const json = Buffer.from(JSON.stringify({ size, etag, crc32: sum, contentType }));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(json.length, 0);
  numbers.writeUInt32BE(crc32(json), 4);
  return Buffer.concat([json, numbers, MAGIC]);
}

async function readTrailer(handle: FileHandle, name: string) {
  const stats = await handle.stat();
  try {
    if (!stats.isFile()) throw new Error('it is not a regular file');
    const start = Math.max(0, stats.size - MAX_TRAILER_BYTES);
    const tail = Buffer.alloc(stats.size - start);
    const { bytesRead } = await handle.read(tail, 0, tail.length, start);
    return parseTrailer(tail.subarray(0, bytesRead), stats.size);
  } catch (error) {
    if (diskCodeOf(error) !== undefined) throw error;
    throw new BlobDamagedError(`${name} is damaged: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/**
 * @param tail the end of a file, with the trailer
 * @throws Error if the trailer is damaged, or belongs to other content
 */
function parseTrailer(tail: Buffer, fileBytes: number): { info: BlobInfo; checksum: number } {
  const footer = tail.subarray(Math.max(0, tail.length - FOOTER_BYTES));
  if (footer.length !== FOOTER_BYTES || !footer.subarray(8).equals(MAGIC)) {
    throw new Error('it does not end with the trailer of a stored file');
  }
  const trailerBytes = footer.readUInt32BE(0) + FOOTER_BYTES;
  if (trailerBytes > tail.length) throw new Error('its trailer has an invalid length');
  const json = tail.subarray(tail.length - trailerBytes, tail.length - FOOTER_BYTES);
  if (crc32(json) !== footer.readUInt32BE(4)) throw new Error('its trailer is damaged');
  const { size, etag, crc32: checksum, contentType } = JSON.parse(json.toString());
  if (size + trailerBytes !== fileBytes) {
    throw new Error(`it has ${fileBytes - trailerBytes} bytes instead of ${size}`);
  }
  return { info: { size, etag, contentType }, checksum };
}
