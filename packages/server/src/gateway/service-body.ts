import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GatewayCall, GatewayInput } from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { Spool } from './spools.ts';

/**
 * Maximum number of bytes that all bodies together may buffer ahead of their services. While a body is being
 * read, we notice if its caller disconnects; a paused connection does not show it.
 */
const AHEAD_BYTES = 64 * 1024 * 1024;

let ahead = 0;

/** SHA-256 of a call without a body. */
const EMPTY_HASH = createHash('sha256').digest('hex');

/**
 * The body of a call on its way to the service. The HTTP client destroys a request's body when a call
 * fails. This wrapper keeps the caller's request intact, so that the caller can still get a response.
 * Nothing is read before the connection is open, so that a second attempt finds the body untouched.
 */
export class ServiceBody extends Readable {
  readonly #source: Readable;
  /** Called for each chunk that has arrived and been read by the service. */
  onProgress: () => void = () => {};
  #isOpen = false;
  #ahead = 0;

  constructor(source: Readable) {
    super({ highWaterMark: 64 * 1024 });
    this.#source = source;
  }

  override read(size?: number): unknown {
    const chunk = super.read(size);
    if (chunk !== null) this.onProgress();
    return chunk;
  }

  override _read(): void {
    if (this.#isOpen) {
      this.#giveBack();
      this.#source.resume();
      return;
    }
    this.#isOpen = true;
    const source = this.#source;
    if (source.errored || source.destroyed) {
      this.destroy(source.errored ?? gone());
      return;
    }
    source.on('data', this.#onData);
    source.once('end', this.#onEnd);
    source.once('error', this.#onError);
    // Destroying a body in transit must not crash the process.
    source.on('error', () => {});
    source.once('close', this.#onClose);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#giveBack();
    const source = this.#source;
    source.off('data', this.#onData);
    source.off('end', this.#onEnd);
    source.off('error', this.#onError);
    source.off('close', this.#onClose);
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.onProgress();
    if (!this.push(chunk) && !this.#holds(chunk.length)) this.#source.pause();
  };

  readonly #onEnd = (): void => {
    this.push(null);
  };

  readonly #onError = (error: Error): void => {
    this.destroy(error);
  };

  readonly #onClose = (): void => {
    if (!this.#source.readableEnded) this.destroy(this.#source.errored ?? gone());
  };

  #holds(bytes: number): boolean {
    if (ahead + bytes > AHEAD_BYTES) return false;
    ahead += bytes;
    this.#ahead += bytes;
    return true;
  }

  #giveBack(): void {
    ahead -= this.#ahead;
    this.#ahead = 0;
  }
}

/** Named as in Node, so that it is not mistaken for a gateway error. */
export function gone(): Error {
  return Object.assign(new Error('The client disconnected.'), { code: 'ECONNRESET' });
}

export interface OutgoingBody {
  readonly content: Readable | Buffer | null;
  readonly length: number | undefined;
  readonly dispose?: () => Promise<void>;
}

/**
 * Prepares the body of a call: streams it if a token authenticates the caller; reads and verifies it
 * completely if a signature covers it (D13, D16).
 */
export async function toBody(
  { body, headers }: GatewayInput,
  { caller: { verifyBody }, request }: GatewayCall<Caller>,
  spool: Spool,
  address: string,
): Promise<OutgoingBody> {
  const length = headers['content-length'];
  // RFC 9112, section 6.3: a request that announces no body has none.
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  if (body === undefined || length === '0' || (length === undefined && !isChunked)) {
    verifyBody?.(EMPTY_HASH);
    return { content: null, length: undefined };
  }
  if (verifyBody === undefined) {
    return {
      content: new ServiceBody(body),
      length: length === undefined ? undefined : Number(length),
    };
  }
  const spooled = await spool(body, address);
  try {
    verifyBody(spooled.hash);
    return spooled;
  } catch (error) {
    await spooled.dispose();
    throw error;
  }
}
