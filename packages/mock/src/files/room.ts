/** Bytes that all sessions of a mock share. */
export interface Room {
  /** Whether so many more bytes fit. */
  has(bytes: number): boolean;
  take(bytes: number): void;
  give(bytes: number): void;
}

/** @param maxBytes for all files together, with those that are being written */
export function createRoom(maxBytes: number): Room {
  let used = 0;
  return {
    has: (bytes) => used + bytes <= maxBytes,
    take(bytes) {
      used += bytes;
    },
    give(bytes) {
      used -= bytes;
    },
  };
}
