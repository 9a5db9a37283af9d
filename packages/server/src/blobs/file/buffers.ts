/** Large enough that a call of the system costs little for each byte. */
export const BUFFER_BYTES = 256 * 1024;

/** Buffers that are kept for later. */
const MOST_FREE = 16;
const free: Buffer[] = [];

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
