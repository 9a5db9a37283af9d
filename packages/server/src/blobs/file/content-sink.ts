import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { createMd5, type Md5 } from '../md5/create-md5.ts';
import { withStoreErrors } from './disk-error.ts';
import { writeAll } from './write-all.ts';

/** What gathers while the disk is busy, and is then written at once. More is not faster, only larger. */
const GATHER_BYTES = 256 * 1024;
/** Written back to the disk while more comes, so that the last fsync has little to do. */
const FLUSH_BYTES = 32 * 1024 * 1024;

/** What a content was found to be. */
export interface Content {
  readonly size: number;
  readonly md5: string;
}

/** Takes a content, writes it to a file, and hashes it. */
export class ContentSink extends Writable {
  readonly #handle: FileHandle;
  readonly #expected: number | undefined;
  readonly #md5: Md5 = createMd5();
  #size = 0;
  #flushed = 0;
  #flush: Promise<void> | undefined;

  /** @param expected bytes that must come; undefined where that is not known */
  constructor(handle: FileHandle, expected: number | undefined) {
    super({ highWaterMark: GATHER_BYTES, decodeStrings: true });
    this.#handle = handle;
    this.#expected = expected;
  }

  /** To be asked for when the stream has finished. */
  async content(): Promise<Content> {
    try {
      await withStoreErrors(async () => this.#flush);
      return { size: this.#size, md5: await this.#md5.digest() };
    } finally {
      this.#md5.destroy();
    }
  }

  override _write(chunk: Buffer, _: string, callback: (error?: Error | null) => void): void {
    this.#take([chunk]).then(() => callback(), callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#take(chunks.map(({ chunk }) => chunk)).then(() => callback(), callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    const isWhole = this.#expected === undefined || this.#size === this.#expected;
    callback(isWhole ? null : this.#wrongSize());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.writableFinished) this.#md5.destroy();
    callback(error);
  }

  async #take(chunks: readonly Buffer[]): Promise<void> {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    const position = this.#size;
    this.#size += bytes;
    if (this.#expected !== undefined && this.#size > this.#expected) throw this.#wrongSize();
    let room: Promise<void> | undefined;
    for (const chunk of chunks) room = this.#md5.update(chunk);
    await withStoreErrors(async () => {
      await writeAll(this.#handle, chunks, position);
      await this.#flushSometimes();
    });
    await room;
  }

  async #flushSometimes(): Promise<void> {
    if (this.#size - this.#flushed < FLUSH_BYTES) return;
    await this.#flush;
    this.#flushed = this.#size;
    this.#flush = this.#handle.datasync();
    // Told to whoever waits for it next.
    this.#flush.catch(() => {});
  }

  #wrongSize(): Error {
    return new Error(`There came ${this.#size} bytes of content instead of ${this.#expected}.`);
  }
}
