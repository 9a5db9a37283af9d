/**
 * The first bytes of a body, and how many it has in all. They are kept as a text of one character for
 * each byte: unlike a view of one of Node's buffers, it holds on to nothing else and costs little.
 */
export class KeptBytes {
  /** All bytes, kept or not. */
  size = 0;
  #text = '';

  /** @param max most bytes that are kept */
  add(chunk: Uint8Array | string, encoding: BufferEncoding | undefined, max: number): void {
    const bytes =
      typeof chunk !== 'string' || encoding === 'latin1' ? chunk : Buffer.from(chunk, encoding);
    this.size += bytes.length;
    const room = max - this.#text.length;
    if (room <= 0) return;
    this.#text +=
      typeof bytes === 'string'
        ? bytes.slice(0, room)
        : toBuffer(bytes).toString('latin1', 0, room);
  }

  /** How many bytes are kept. */
  get keptSize(): number {
    // Makes one string of its pieces, each of which would be held in memory by itself.
    this.#text.charCodeAt(0);
    return this.#text.length;
  }

  /** Undefined where there is none. */
  get bytes(): Buffer | undefined {
    return this.#text === '' ? undefined : Buffer.from(this.#text, 'latin1');
  }

  /** Whether nothing was left out. */
  get isWhole(): boolean {
    return this.#text.length === this.size;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
