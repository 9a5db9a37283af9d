const BLOCK_BYTES = 65_536;

/** Bytes that arrive in chunks. */
interface Collected {
  append(chunk: Buffer): void;
  /** All bytes in one buffer. */
  join(): Buffer;
}

/**
 * Collects chunks by copying them into blocks. To keep the chunks themselves would cost many times
 * their bytes where they are small, and a chunk holds on to the whole buffer that it is a view of.
 */
export function collectBytes(): Collected {
  const blocks: Buffer[] = [];
  let size = 0;
  return {
    append(chunk) {
      for (let from = 0; from < chunk.length; ) {
        const start = size % BLOCK_BYTES;
        if (start === 0) blocks.push(Buffer.allocUnsafe(BLOCK_BYTES));
        const copied = chunk.copy(blocks.at(-1) as Buffer, start, from);
        from += copied;
        size += copied;
      }
    },
    join: () => Buffer.concat(blocks, size),
  };
}
