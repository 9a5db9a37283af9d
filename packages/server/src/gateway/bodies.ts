import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished, Readable, Writable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';
import { toDisconnectError } from '@berth/server-stubs/runtime';
import type { Dispatcher } from 'undici';

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

/** Relays the body of a response to the caller, with backpressure. The router sends the head before it calls `begin`. */
export class ResponseRelay {
  readonly #response: ServerResponse;
  readonly #controller: Dispatcher.DispatchController;
  /** Chunks that arrive before `begin`, which the router calls in the same turn. */
  readonly #chunks: Buffer[] = [];
  #state: 'waiting' | 'complete' | 'streaming' = 'waiting';

  constructor(response: ServerResponse, controller: Dispatcher.DispatchController) {
    this.#response = response;
    this.#controller = controller;
  }

  readonly begin = (): void => {
    const response = this.#response;
    const chunks = this.#chunks;
    if (this.#state === 'complete') {
      const last = chunks.pop();
      for (const chunk of chunks) response.write(chunk);
      // Node sends a head and a string in one piece, in half the time of a head and a buffer.
      response.end(last?.toString('latin1'), 'latin1');
      return;
    }
    this.#state = 'streaming';
    response.on('drain', () => this.#controller.resume());
    // Unlike `flushHeaders`, which writes UTF-8, this leaves the bytes of the headers unchanged.
    let isFull = chunks.length === 0 && !response.write('', 'latin1');
    for (const chunk of chunks.splice(0)) isFull = !response.write(chunk);
    if (isFull) this.#controller.pause();
  };

  write(chunk: Buffer): void {
    if (this.#state === 'waiting') this.#chunks.push(chunk);
    else if (!this.#response.write(chunk)) this.#controller.pause();
  }

  end(): void {
    if (this.#state === 'waiting') this.#state = 'complete';
    else this.#response.end();
  }

  /** Closes the connection, HTTP's only way to signal a truncated response. */
  abort(): void {
    this.#response.destroy();
  }
}

/** Any number of bodies of this size may be read, so small forged calls cannot block others. */
const SMALL_BYTES = 64 * 1024;

/** How many larger bodies may be read at a time. With the limit of each, forged calls can occupy 128 MiB. */
const MAX_LARGE_BODIES = 128;

/** How much of a body is kept in memory. Beyond that, it goes to a temporary file. */
const MEMORY_BYTES = 1024 * 1024;

/** A slow body with a forged signature must not hold its slot. */
const MAX_SECONDS = 30;

let largeBodies = 0;

/**
 * Reads a signed body before its call, because the signature covers the body (D13, D16).
 * @throws GatewayError EXCEED_RATELIMIT if too many large ones are being read; any error of the body
 */
export async function readSignedBody(body: Readable) {
  const hash = createHash('sha256');
  let chunks: Buffer[] = [];
  let length = 0;
  let isLarge = false;
  let file: FileHandle | undefined;
  const write = async (chunk: Buffer) => {
    hash.update(chunk);
    length += chunk.length;
    if (!isLarge && length > SMALL_BYTES) {
      if (largeBodies >= MAX_LARGE_BODIES) {
        throw new GatewayError('EXCEED_RATELIMIT', { retryAfter: 1 });
      }
      largeBodies += 1;
      isLarge = true;
    }
    chunks.push(chunk);
    if (file === undefined && length <= MEMORY_BYTES) return;
    file ??= await openTemporary();
    await file.appendFile(Buffer.concat(chunks));
    chunks = [];
  };
  // The last write, which may still be in progress when the body is released.
  let last = Promise.resolve();
  const sink = new Writable({
    write(chunk, _encoding, done) {
      last = write(chunk);
      last.then(() => done(), done);
    },
  });
  try {
    await pipeTo(sink, body);
  } catch (error) {
    await last.catch(() => {});
    await file?.close();
    throw toBodyError(error);
  } finally {
    if (isLarge) largeBodies -= 1;
  }
  const content = file?.createReadStream({ start: 0, autoClose: false }) ?? Buffer.concat(chunks);
  return {
    hash: hash.digest('hex'),
    length,
    content,
    async release() {
      if (!Buffer.isBuffer(content)) content.destroy();
      await file?.close();
    },
  };
}

/** No one else can open the file, and a crash leaves nothing behind. */
async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `berth-body-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Unlike `pipeline`, does not destroy the body: a rejected caller must still get its response. */
function pipeTo(sink: Writable, body: Readable): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  return new Promise<void>((resolve, reject) => {
    const message = `A signed body must arrive within ${MAX_SECONDS} s.`;
    const expire = () => reject(new GatewayError('INVALID_REQUEST', { status: 408, message }));
    timer = setTimeout(expire, MAX_SECONDS * 1000);
    finished(body, { writable: false }, (error) => error && reject(error));
    sink.once('error', reject).once('finish', resolve);
    body.pipe(sink);
  }).finally(() => {
    clearTimeout(timer);
    body.unpipe(sink);
    sink.destroy();
  });
}

/** A full disk may have space again soon, and no service was called. */
function toBodyError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || (code !== 'ENOSPC' && code !== 'EDQUOT')) return error;
  const message = 'The gateway has no space for the request body. Try again later.';
  return new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause: error });
}
