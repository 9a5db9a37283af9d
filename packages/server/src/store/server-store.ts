import { Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import {
  BlobDamagedError,
  type BlobInfo,
  type BlobKey,
  type BlobStore,
  type ByteRange,
  type OpenBlob,
  StoreUnavailableError,
  type WriteOptions,
} from '@berth/storage';

/** The files of all environments: the storage API's only state. A fulfilled promise means a durable change. */
export interface ServerStore extends BlobStore {
  /** @param content Its chunks then belong to the store, which frees their memory. */
  write(key: BlobKey, content: Readable, options: WriteOptions): Promise<BlobInfo>;
  open(key: BlobKey): Promise<ServerBlob | undefined>;
  /**
   * Removes leftovers of failed uploads and returns how many it removed. Call it every few minutes. Uploads of this
   * process are never removed; other processes' uploads are removed once abandoned.
   */
  sweep(): Promise<number>;
  /**
   * @param isStart whether to test all permissions, too
   * @throws StoreUnavailableError if a file could not be stored now
   */
  check(isStart?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Smaller chunks are cheaper to collect than to free. */
const MIN_FREED_BYTES = 16 * 1024;

/**
 * Frees the memory of a chunk that has been stored. For the garbage collector, a chunk of 64 KiB is an object of a few
 * bytes, so it would collect the chunks of an upload late, and together with everything else in the process.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  // Another chunk may be in the rest of the buffer.
  const ownsBuffer = byteLength === buffer.byteLength && byteLength >= MIN_FREED_BYTES;
  if (ownsBuffer && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Environments are host name labels (D12): no environment name can escape into another's folder or key. */
export const ENV_NAME = '[A-Za-z0-9-]+';

export function assertEnvironment(env: string): void {
  if (!new RegExp(`^${ENV_NAME}$`).test(env))
    throw new TypeError(`"${env}" is not an environment name.`);
}

/** Returns what messages call a file. */
export function toName({ env, path }: BlobKey): string {
  return `${env}/${path}`;
}

/** A complete file is verified as it is sent; the last chunk is withheld if it is damaged. */
export interface ServerBlob extends OpenBlob {
  /** Used by `fsck`. If the stream fails halfway, it is destroyed with the error. */
  read(range?: ByteRange): Readable;
  /** @param target must not keep a chunk once it has called back, because its bytes will change */
  sendTo(target: Writable, range?: ByteRange): Promise<void>;
}

interface BlobSource {
  /** For error messages. */
  readonly name: string;
  readonly info: BlobInfo;
  /** CRC-32 of the content, for a store that does not verify it itself. */
  readonly checksum?: number;
  /** Returns the bytes of a range, which may be empty. Opens nothing before it is iterated. */
  readonly content: (range: ByteRange) => AsyncIterable<Buffer>;
  /** Takes back a chunk of the content that is no longer needed, to reuse its memory. */
  readonly recycle?: (chunk: Buffer) => void;
  readonly release: () => void | Promise<void>;
}

export function toServerBlob(source: BlobSource): ServerBlob {
  const { name, info, checksum, content, recycle, release } = source;
  const open = (range: ByteRange = { start: 0, end: info.size - 1 }) => {
    const { start } = range;
    const end = Math.min(range.end, info.size - 1);
    const isCompleteFile = start === 0 && end === info.size - 1;
    const expected = { bytes: end - start + 1, checksum: isCompleteFile ? checksum : undefined };
    return verify(name, content({ start, end }), expected);
  };
  return {
    info,
    read: (range) => Readable.from(open(range), { objectMode: false }).once('close', release),
    async sendTo(target, range) {
      try {
        await send(open(range), target, recycle);
      } finally {
        await release();
      }
    },
    close: async () => release(),
  };
}

/**
 * Yields the chunks of the content, the last one only once all are verified. CRC-32 detects every burst of up to 32
 * bits, and misses about one in four billion other corruptions. SHA-256 takes two and a half times as long, and programs
 * that can change a file can change its checksum.
 * @throws BlobDamagedError
 */
async function* verify(
  name: string,
  content: AsyncIterable<Buffer>,
  { bytes, checksum }: { readonly bytes: number; readonly checksum: number | undefined },
): AsyncGenerator<Buffer, undefined> {
  let actual = 0;
  let remaining = bytes;
  let last: Buffer | undefined;
  for await (const chunk of content) {
    if (last !== undefined) yield last;
    last = chunk;
    remaining -= chunk.length;
    if (checksum !== undefined) actual = crc32(chunk, actual);
  }
  if (remaining > 0) throw new BlobDamagedError(`${name} is truncated.`);
  if (checksum !== undefined && actual !== checksum) {
    const sums = `${actual.toString(16)} instead of ${checksum.toString(16)}`;
    throw new BlobDamagedError(`${name} is damaged: the CRC-32 of its content is ${sums}.`);
  }
  if (last !== undefined) yield last;
}

/**
 * Sends chunks, each of which is written while the next one is read. If the first one cannot be read, the target stays
 * intact; after any other failure, it is destroyed.
 */
async function send(
  chunks: AsyncIterable<Buffer>,
  target: Writable,
  recycle: BlobSource['recycle'],
): Promise<void> {
  // A response whose connection has closed may never call back for a chunk that it has not sent.
  let interrupt = (_error: Error): void => {};
  const closed = finished(target, { readable: false });
  closed.catch((error) => interrupt(error));
  let written: Promise<void> | undefined;
  const write = async (chunk: Buffer) => {
    await new Promise<void>((resolve, reject) => {
      interrupt = reject;
      // `finished` knows whether the caller has disconnected; the error of a write may be any.
      target.write(chunk, (error) => (error ? closed.catch(reject) : resolve()));
    });
    recycle?.(chunk);
  };
  try {
    for await (const chunk of chunks) {
      await written;
      written = write(chunk);
      written.catch(() => {});
    }
    await written;
    target.end();
    await closed;
  } catch (error) {
    if (written !== undefined) target.destroy(error as Error);
    throw error;
  }
}

const MAX_EMPTY_ATTEMPTS = 3;

/** The bytes of a file from a position on. */
export type RemoteBody = { readonly body: Readable; readonly start: number };

/**
 * Yields the chunks of a range of a file in a remote store. Resumes with a new connection if one breaks: stores close
 * connections whose readers pause for long.
 * @param connect returns the file from the start of the range or before, to its end or beyond
 */
export async function* readResumably(
  { start, end }: ByteRange,
  connect: (range: ByteRange) => Promise<RemoteBody>,
): AsyncGenerator<Buffer> {
  let emptyAttempts = 0;
  for (let next = start; next <= end; ) {
    const { body, start: first } = await connect({ start: next, end });
    let position = first;
    let cause: unknown;
    emptyAttempts += 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        // A connection with bytes left to read is destroyed; any other is returned to the pool.
        if (next > end) break;
        const piece = chunk.subarray(Math.max(0, next - position), Math.max(0, end + 1 - position));
        position += chunk.length;
        if (piece.length === 0) continue;
        emptyAttempts = 0;
        next += piece.length;
        yield piece;
      }
    } catch (error) {
      cause = error;
    }
    if (emptyAttempts > MAX_EMPTY_ATTEMPTS) {
      const message = 'The object store repeatedly closed the connection.';
      throw new StoreUnavailableError(message, { cause });
    }
  }
}

/**
 * How many bytes all uploads of this process may keep in memory, waiting for the store or for more content. If 60 clients
 * send as fast as they can and then stall, a process takes less than 200 MiB, of which 120 MiB are not theirs.
 */
const MAX_BUFFERED_BYTES = 48 * 1024 * 1024;

/** Smaller content is best sent in one call, larger content in parts of this size, the smallest that S3 accepts. */
export const PART_BYTES = 5 * 1024 * 1024;

/** How long a part may take to arrive while other uploads need the memory: 5 MiB are then slower than 90 KB/s. */
const PART_MILLISECONDS = 60_000;

/**
 * Reads the content of an upload in parts. One buffer has the part that is being sent; if memory allows, another one
 * receives the next part. Both are kept until the end, so that new uploads do not make one in progress fail.
 */
export class PartReader {
  static #usedByAll = 0;
  /** When each part began that is arriving, in that order, by the content of its upload. */
  static readonly #arriving = new Map<Readable, number>();
  #used = 0;
  /** How many bytes have been read. */
  size = 0;
  readonly #content: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  /** How much of the chunk is in a part already. */
  #copied = 0;
  #buffer: Buffer = Buffer.allocUnsafe(PART_BYTES);
  #spare: Buffer | undefined;

  constructor(content: Readable) {
    this.#content = content;
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /**
   * Reads the next part. Only the last one is smaller than `PART_BYTES`, and may be empty.
   * @param sending the request that sends the previous part, which needs its buffer until then
   * @throws StoreUnavailableError if all uploads together use too much memory
   */
  async read(sending?: Promise<void>): Promise<Buffer> {
    // A new buffer for each part would be garbage, which takes as much memory again before it is collected.
    if (sending !== undefined && this.#reserve(2 * PART_BYTES)) {
      [this.#buffer, this.#spare] = [this.#spare ?? Buffer.allocUnsafe(PART_BYTES), this.#buffer];
    } else {
      await sending;
    }
    PartReader.#arriving.set(this.#content, performance.now());
    let length = 0;
    while (length < PART_BYTES) {
      if (this.#copied === this.#chunk.length) {
        const chunk = await this.#chunks.next();
        if (chunk.done) break;
        freeChunk(this.#chunk);
        this.#chunk = chunk.value;
        this.#copied = 0;
      }
      // Copied at once, because many chunks would take as much memory as the parts.
      const copied = this.#chunk.copy(this.#buffer, length, this.#copied);
      this.#copied += copied;
      length += copied;
      if (!this.#reserve(length)) {
        // No request has this part yet.
        freeChunk(this.#buffer);
        PartReader.#endSlowest();
        throw new StoreUnavailableError('Too many uploads to the object store are in progress.');
      }
    }
    PartReader.#arriving.delete(this.#content);
    this.size += length;
    return this.#buffer.subarray(0, length);
  }

  /** Otherwise, a few callers who send a byte now and then could use all of the memory. */
  static #endSlowest(): void {
    const [[content, since = Number.POSITIVE_INFINITY] = []] = PartReader.#arriving;
    if (performance.now() - since < PART_MILLISECONDS) return;
    content?.destroy(new StoreUnavailableError('The upload is too slow while others wait.'));
  }

  #reserve(bytes: number): boolean {
    const more = Math.max(bytes - this.#used, 0);
    if (PartReader.#usedByAll + more > MAX_BUFFERED_BYTES) return false;
    PartReader.#usedByAll += more;
    this.#used += more;
    return true;
  }

  /** Forgets the buffers as well: until the caller disconnects, streams and signals may refer to this reader. */
  release(): void {
    PartReader.#usedByAll -= this.#used;
    PartReader.#arriving.delete(this.#content);
    this.#chunk = this.#buffer = Buffer.alloc(0);
    this.#spare = undefined;
  }
}
