import { Readable } from 'node:stream';

/**
 * The body of a call on its way to the service. The HTTP client destroys what it was given when a call
 * fails; this stands before the request, so that the caller can still be answered. Nothing is read before
 * the connection is there, so that a second attempt finds the body untouched.
 */
export class ServiceBody extends Readable {
  readonly #source: Readable;
  /** Called for each piece. */
  onProgress: () => void = () => {};
  /** Whether the caller, and not the service, is why it ended too soon. */
  isBrokenOff = false;
  #isOpen = false;

  constructor(source: Readable) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
  }

  override _read(): void {
    if (this.#isOpen) {
      this.#source.resume();
      return;
    }
    this.#isOpen = true;
    const source = this.#source;
    if (source.errored || source.destroyed) {
      this.#breakOff(source.errored ?? gone());
      return;
    }
    source.on('data', this.#onData);
    source.once('end', this.#onEnd);
    source.once('error', this.#onError);
    // One that is on its way when the others go must not end the process.
    source.on('error', () => {});
    source.once('close', this.#onClose);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const source = this.#source;
    source.off('data', this.#onData);
    source.off('end', this.#onEnd);
    source.off('error', this.#onError);
    source.off('close', this.#onClose);
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.onProgress();
    if (!this.push(chunk)) this.#source.pause();
  };

  readonly #onEnd = (): void => {
    this.push(null);
  };

  readonly #onError = (error: Error): void => {
    this.#breakOff(error);
  };

  readonly #onClose = (): void => {
    if (!this.#source.readableEnded) this.#breakOff(this.#source.errored ?? gone());
  };

  #breakOff(error: Error): void {
    this.isBrokenOff = true;
    this.destroy(error);
  }
}

function gone(): Error {
  return Object.assign(new Error('The client went away.'), { code: 'ECONNRESET' });
}
