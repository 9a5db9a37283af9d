import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { BlobDamagedError } from '../blob-errors.ts';
import type { ByteRange } from '../blob-store.ts';
import { BUFFER_BYTES, giveBackBuffer, takeBuffer } from './buffers.ts';

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
export async function sendFileTo(
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
