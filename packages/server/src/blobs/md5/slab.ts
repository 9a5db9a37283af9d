/** How much is hashed at once. A content that fits into one slab never leaves the process's thread. */
export const SLAB_BYTES = 1024 * 1024;

/** Shared slabs: as many as four contents have on their way. */
const MOST_SHARED = 16;

let shared = 0;
const free: SharedArrayBuffer[] = [];

/** Memory for the bytes that are hashed at once. */
export type Slab = ArrayBuffer | SharedArrayBuffer;

/**
 * A slab, its bytes those of an earlier use. The first ones are shared with the threads and kept for the
 * process: to move them to and fro would tell the garbage collector of new memory each time, and make it
 * look for garbage that is not there. Further ones go to a thread and come back without a copy, and are
 * freed then; a shared one would be freed when the thread pleases, thus never.
 */
export function takeSlab(): Slab {
  const slab = free.pop();
  if (slab !== undefined) return slab;
  if (shared === MOST_SHARED) return new ArrayBuffer(SLAB_BYTES);
  shared++;
  return new SharedArrayBuffer(SLAB_BYTES);
}

export function giveBackSlab(slab: Slab): void {
  if (slab instanceof SharedArrayBuffer) free.push(slab);
}

/** What is to be moved with a message that holds a slab. */
export function toTransferList(slab: Slab): ArrayBuffer[] {
  return slab instanceof SharedArrayBuffer ? [] : [slab];
}

/** What a worker is asked for. Contents are told apart by their number. */
export type Md5Request =
  | {
      readonly kind: 'update';
      readonly id: number;
      readonly slab: Slab;
      readonly length: number;
    }
  | { readonly kind: 'digest'; readonly id: number }
  | { readonly kind: 'forget'; readonly id: number };

/** What it answers: a slab that it has read and gives back, or the MD5 in hex. `forget` has no answer. */
export type Md5Answer =
  | { readonly kind: 'read'; readonly id: number; readonly slab: Slab }
  | { readonly kind: 'digest'; readonly id: number; readonly digest: string };
