/** The first bytes of a body, and how many it has in all. */
export class KeptBytes {
  /** All bytes, kept or not. */
  size = 0;
  #kept = 0;
  /** Most bodies come in one piece; a text is turned into bytes only when somebody asks. */
  #first: Buffer | string | undefined = undefined;
  #more: Buffer[] | undefined = undefined;

  /** @param max most bytes that are kept */
  add(chunk: Uint8Array | string, encoding: BufferEncoding | undefined, max: number): void {
    if (encoding === 'latin1' && this.size === 0 && chunk.length <= max) {
      this.size = chunk.length;
      this.#kept = chunk.length;
      this.#first = chunk as string;
      return;
    }
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    this.size += bytes.length;
    if (this.#kept >= max || bytes.length === 0) return;
    // A chunk is a view of a buffer that Node uses for much more: a copy does not hold on to it.
    const part = Buffer.from(bytes.subarray(0, max - this.#kept));
    this.#kept += part.length;
    if (this.#first === undefined) {
      this.#first = part;
    } else {
      this.#more ??= [];
      this.#more.push(part);
    }
  }

  /** Undefined where there is none. */
  get bytes(): Buffer | undefined {
    if (this.#first === undefined) return undefined;
    const first =
      typeof this.#first === 'string' ? Buffer.from(this.#first, 'latin1') : this.#first;
    return this.#more === undefined ? first : Buffer.concat([first, ...this.#more]);
  }

  /** Whether nothing was left out. */
  get isWhole(): boolean {
    return this.#kept === this.size;
  }
}
