import { Readable } from 'node:stream';
import { StoreUnavailableError } from '../blob-errors.ts';
import type { ByteRange } from '../blob-store.ts';
import { countBuffer } from '../collect-buffers.ts';

/** Bytes of an object, and the place where they begin. */
export interface ObjectBody {
  readonly body: Readable;
  readonly start: number;
}

/** A connection that breaks so often without a byte is no accident. */
const MAX_FRUITLESS = 3;

/**
 * A part of an object, which goes on with a new connection where one breaks: stores close those of
 * readers that pause for long. What it reads from is destroyed with it.
 */
export class ObjectStream extends Readable {
  readonly #end: number;
  readonly #connect: (range: ByteRange) => Promise<ObjectBody>;
  #at: number;
  #body: Readable | undefined;
  #isWanted = false;
  #isConnecting = false;
  #fruitless = 0;

  /** @param connect gives the object from the start of the range or before, to its end or beyond */
  constructor({ start, end }: ByteRange, connect: (range: ByteRange) => Promise<ObjectBody>) {
    super();
    this.#at = start;
    this.#end = end;
    this.#connect = connect;
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#at > this.#end) this.push(null);
    else if (this.#body) this.#body.resume();
    else void this.#open();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#body?.destroy();
    done(error);
  }

  async #open(): Promise<void> {
    if (this.#isConnecting) return;
    this.#isConnecting = true;
    try {
      const { body, start } = await this.#connect({ start: this.#at, end: this.#end });
      this.#use(body, start);
    } catch (error) {
      this.destroy(error as Error);
    } finally {
      this.#isConnecting = false;
    }
  }

  #use(body: Readable, start: number): void {
    let position = start;
    let failure: Error | undefined;
    body.on('error', (error) => {
      failure = error;
    });
    body.on('close', () => this.#lose(body, failure));
    if (this.destroyed) {
      body.destroy();
      return;
    }
    this.#body = body;
    body.on('data', (chunk: Buffer) => {
      const from = Math.max(0, this.#at - position);
      const to = Math.max(0, this.#end + 1 - position);
      position += chunk.length;
      countBuffer(chunk.length);
      const part = chunk.subarray(from, to);
      if (part.length > 0) this.#give(body, part);
    });
  }

  #give(body: Readable, part: Buffer): void {
    this.#fruitless = 0;
    this.#at += part.length;
    this.#isWanted = this.push(part);
    if (this.#at > this.#end) {
      this.push(null);
      // A connection that has no more either goes back to the pool.
      this.#body = undefined;
      body.once('data', () => body.destroy()).resume();
    } else if (!this.#isWanted) {
      body.pause();
    }
  }

  #lose(body: Readable, cause: Error | undefined): void {
    if (this.#body !== body) return;
    this.#body = undefined;
    if (this.#at > this.#end || this.destroyed) return;
    this.#fruitless++;
    if (this.#fruitless > MAX_FRUITLESS) {
      const message = 'The object store broke off again and again.';
      this.destroy(new StoreUnavailableError(message, { cause }));
    } else if (this.#isWanted) {
      void this.#open();
    }
  }
}
