import { Readable } from 'node:stream';

/**
 * The body of a call on its way to the service. When a call fails, undici destroys its body. This wrapper leaves the
 * caller's request intact, so that the caller can still get a response. Nothing is read before the connection is open,
 * so that another attempt finds the body untouched.
 */
export class ForwardedBody extends Readable {
  readonly #source: Readable;
  #state: 'untouched' | 'reading' = 'untouched';

  constructor(source: Readable) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
    // A body that fails after its call has ended must not crash the process.
    for (const body of [this, source]) body.on('error', () => {});
  }

  override _read(): void {
    const source = this.#source;
    if (this.#state === 'reading') {
      source.resume();
      return;
    }
    this.#state = 'reading';
    if (source.destroyed) {
      this.destroy(source.errored ?? toDisconnectError());
      return;
    }
    source.on('data', this.#onData).once('end', this.#onEnd);
    source.once('error', this.#onError).once('close', this.#onClose);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const source = this.#source;
    source.off('data', this.#onData).off('end', this.#onEnd);
    source.off('error', this.#onError).off('close', this.#onClose);
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#source.pause();
  };

  readonly #onEnd = (): void => void this.push(null);

  readonly #onError = (error: Error): void => void this.destroy(error);

  readonly #onClose = (): void => {
    if (!this.#source.readableEnded) this.destroy(this.#source.errored ?? toDisconnectError());
  };
}

/** Named as in Node, so that it is not mistaken for a gateway error. */
export function toDisconnectError(): Error {
  return Object.assign(new Error('The client disconnected.'), { code: 'ECONNRESET' });
}
