/** How much is hashed at once. A content that fits into one slab never leaves the process's thread. */
export const SLAB_BYTES = 1024 * 1024;

/** Slabs that are kept for the next contents: allocating and clearing one costs as much as hashing a tenth. */
const KEPT = 16;
const free: ArrayBuffer[] = [];

/**
 * Memory that goes to a thread and comes back, without a copy. Its bytes are those of an earlier use.
 * It is never shared: a thread that holds a part of it would free it when it pleases, thus never.
 */
export function takeSlab(): ArrayBuffer {
  return free.pop() ?? new ArrayBuffer(SLAB_BYTES);
}

export function giveBackSlab(slab: ArrayBuffer): void {
  if (free.length < KEPT) free.push(slab);
}
