import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { BlobDamagedError, type Pace } from './blob-store.ts';
import { countBuffer } from './collect-buffers.ts';

/** What a store knows about the content, or part of it, before it is read. */
export interface Expected {
  readonly bytes: number;
  /** CRC-32; undefined for part of a file, and for files of other programs. */
  readonly crc32: number | undefined;
}

/**
 * Yields the chunks of the content, each only when the next one has been read: the last one is yielded only
 * once all are verified. CRC-32 detects every burst of up to 32 bits, and all but one in four billion of other
 * accidents. SHA-256 would also detect intent, but programs that can change a file can change its checksum, and
 * it takes two and a half times as long.
 *
 * @throws BlobDamagedError
 */
export async function* verify(
  content: AsyncIterable<Buffer>,
  { bytes, crc32: sum }: Expected,
): AsyncGenerator<Buffer, undefined> {
  let found = 0;
  let left = bytes;
  let last: Buffer | undefined;
  for await (const chunk of content) {
    if (last !== undefined) yield last;
    last = chunk;
    countBuffer(chunk.length);
    left -= chunk.length;
    if (sum !== undefined) found = crc32(chunk, found);
  }
  if (left > 0) throw new BlobDamagedError('A file is truncated.');
  if (sum !== undefined && found !== sum) {
    const sums = `${toHex(found)} instead of ${toHex(sum)}`;
    throw new BlobDamagedError(`A file is damaged: the CRC-32 of its content is ${sums}.`);
  }
  if (last !== undefined) yield last;
}

/** Sends verified content. If it is found damaged before its first chunk, the target stays intact. */
export async function sendVerified(
  content: AsyncIterable<Buffer>,
  expected: Expected,
  target: Writable,
): Promise<void> {
  const chunks = verify(content, expected);
  const first = await chunks.next();
  try {
    await pipeline(async function* () {
      if (!first.done) yield first.value;
      yield* chunks;
    }, target);
  } finally {
    // If the target was closed before the pipeline started, nothing else would release the content.
    chunks.return(undefined).catch(() => {});
  }
}

/** Reads content whose stream verifies it. Returns how it is damaged, if it is. */
export async function findDamage(
  content: AsyncIterable<Buffer>,
  pace: Pace = () => {},
): Promise<string | undefined> {
  try {
    for await (const { length } of content) await pace(length);
    return undefined;
  } catch (error) {
    if (error instanceof BlobDamagedError) return error.message;
    throw error;
  }
}

function toHex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
