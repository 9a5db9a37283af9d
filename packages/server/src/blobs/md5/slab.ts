/** How much is hashed at once. A content that fits into one slab never leaves the process's thread. */
export const SLAB_BYTES = 1024 * 1024;

/** Slabs that are kept for the next contents: allocating and clearing one costs as much as hashing a tenth. */
const KEPT = 16;
const free: SharedArrayBuffer[] = [];

/** Memory that a worker can read without a copy. Its bytes are those of an earlier use. */
export function takeSlab(): SharedArrayBuffer {
  return free.pop() ?? new SharedArrayBuffer(SLAB_BYTES);
}

export function giveBackSlab(slab: SharedArrayBuffer): void {
  if (free.length < KEPT) free.push(slab);
}
