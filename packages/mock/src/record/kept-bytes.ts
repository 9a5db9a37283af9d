/** The first bytes of a body, and how many it has in all. */
export class KeptBytes {
  /** All bytes, kept or not. */
  size = 0;
  #chunks: Buffer[] | undefined;
  #kept = 0;

  /** @param max most bytes that are kept */
  add(
    chunk: Buffer | Uint8Array | string,
    encoding: BufferEncoding | undefined,
    max: number,
  ): void {
    const isText = typeof chunk === 'string';
    const bytes = isText ? Buffer.from(chunk, encoding) : chunk;
    this.size += bytes.length;
    if (this.#kept >= max || bytes.length === 0) return;
    // A chunk is a view of a buffer that Node uses for much more: a copy does not hold on to it.
    const part = bytes.subarray(0, max - this.#kept);
    this.#kept += part.length;
    this.#chunks ??= [];
    this.#chunks.push(
      isText && part.length === bytes.length ? (part as Buffer) : Buffer.from(part),
    );
  }

  /** Undefined where there is none. */
  get bytes(): Buffer | undefined {
    const [first, ...others] = this.#chunks ?? [];
    return others.length === 0 ? first : Buffer.concat([first as Buffer, ...others]);
  }

  /** Whether nothing was left out. */
  get isWhole(): boolean {
    return this.#kept === this.size;
  }
}
