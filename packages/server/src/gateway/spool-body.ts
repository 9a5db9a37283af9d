import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished, type Readable, Writable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';

/** A body that has come whole. */
export interface Spooled {
  /** SHA-256 in hex. */
  readonly hash: string;
  /** Bytes. */
  readonly length: number;
  /** The content: in memory, or a stream from the beginning of the file. */
  readonly content: Buffer | Readable;
  /** Gives the space back, also where the content was never read. */
  dispose(): Promise<void>;
}

export interface SpoolOptions {
  /** Lets go of the body when it is aborted. */
  readonly signal: AbortSignal;
  readonly onBytes: (count: number) => void;
}

/**
 * Reads a body to its end, in memory up to `memoryBytes` and in a temporary file beyond, which nobody else
 * can open: it has mode 0600 and loses its name at once, so that nothing is left behind a crash.
 *
 * D13: "A TC3 call is spooled (memory to 1 MiB, then a temporary file) and verified before the service is
 * called".
 *
 * @throws what the body fails with, such as the limit; the reason of the signal; GatewayError if the disk has no room
 */
export async function spoolBody(
  body: Readable,
  memoryBytes: number,
  { signal, onBytes }: SpoolOptions,
): Promise<Spooled> {
  const hash = createHash('sha256');
  let held: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;
  const write = async (chunk: Buffer) => {
    hash.update(chunk);
    length += chunk.length;
    onBytes(chunk.length);
    held.push(chunk);
    if (file === undefined && length <= memoryBytes) return;
    file ??= await openTemporary();
    await file.appendFile(Buffer.concat(held));
    held = [];
  };
  // The last write, which may still be under way when the body is let go of.
  let last = Promise.resolve();
  const sink = new Writable({
    write(chunk, _encoding, done) {
      last = write(chunk);
      last.then(() => done(), done);
    },
  });
  try {
    await pipeTo(sink, body, signal);
  } catch (error) {
    await last.catch(() => {});
    await file?.close();
    throw toSpoolError(error);
  }
  const content = file?.createReadStream({ start: 0, autoClose: false }) ?? Buffer.concat(held);
  return {
    hash: hash.digest('hex'),
    length,
    content,
    async dispose() {
      if (!Buffer.isBuffer(content)) content.destroy();
      await file?.close();
    },
  };
}

/** As `pipeline`, which would destroy the body: a caller that is refused must still get its response. */
function pipeTo(sink: Writable, body: Readable, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    finished(body, { writable: false }, (error) => error && reject(error));
    sink.once('error', reject).once('finish', resolve);
    body.pipe(sink);
  }).finally(() => {
    body.unpipe(sink);
    sink.destroy();
  });
}

async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `berth-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** A disk that has no room for a body may have some soon, and nothing was called. */
function toSpoolError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || (code !== 'ENOSPC' && code !== 'EDQUOT')) return error;
  const message = 'The gateway has no room for the body now. Try again.';
  return new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause: error });
}
