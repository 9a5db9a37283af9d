import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { createMd5, type Md5 } from '../md5/create-md5.ts';
import { withStoreErrors } from './disk-error.ts';
import { writeAll } from './write-all.ts';

/**
 * Gathers before it is written at once: a write for each piece of a socket costs a thread's turn each.
 * Nothing is made durable before the end. To flush now and then took a third of the speed away, for
 * the disk writes back by itself what it has got.
 */
const GATHER_BYTES = 256 * 1024;

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
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #size = 0;

  /** @param expected bytes that must come; undefined where that is not known */
  constructor(handle: FileHandle, expected: number | undefined) {
    super({ highWaterMark: GATHER_BYTES, decodeStrings: true });
    this.#handle = handle;
    this.#expected = expected;
  }

  /** To be asked for when the stream has finished. */
  async content(): Promise<Content> {
    try {
      return { size: this.#size, md5: await this.#md5.digest() };
    } finally {
      this.#md5.destroy();
    }
  }

  override _write(chunk: Buffer, _: string, callback: (error?: Error | null) => void): void {
    const room = this.#gather(chunk);
    this.#go(room, this.#gatheredBytes >= GATHER_BYTES, callback);
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    let room: Promise<void> | undefined;
    for (const { chunk } of chunks) room = this.#gather(chunk);
    this.#go(room, this.#gatheredBytes >= GATHER_BYTES, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    if (this.#expected !== undefined && this.#size !== this.#expected) callback(this.#wrongSize());
    else this.#go(undefined, this.#gatheredBytes > 0, callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.writableFinished) this.#md5.destroy();
    callback(error);
  }

  /** Undefined where more may come at once. */
  #gather(chunk: Buffer): Promise<void> | undefined {
    this.#gathered.push(chunk);
    this.#gatheredBytes += chunk.length;
    this.#size += chunk.length;
    return this.#md5.update(chunk);
  }

  #go(
    room: Promise<void> | undefined,
    isDue: boolean,
    callback: (error?: Error | null) => void,
  ): void {
    if (this.#expected !== undefined && this.#size > this.#expected) callback(this.#wrongSize());
    else if (isDue) this.#flush(room).then(() => callback(), callback);
    else if (room) room.then(() => callback());
    else callback();
  }

  async #flush(room: Promise<void> | undefined): Promise<void> {
    const chunks = this.#gathered;
    const position = this.#size - this.#gatheredBytes;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    await withStoreErrors(() => writeAll(this.#handle, chunks, position));
    await room;
  }

  #wrongSize(): Error {
    return new Error(`There came ${this.#size} bytes of content instead of ${this.#expected}.`);
  }
}
