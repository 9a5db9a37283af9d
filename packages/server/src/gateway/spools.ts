import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished, type Readable, Writable } from 'node:stream';
import { GatewayError } from '@berth/server-stubs';

/**
 * How many bodies may be read at the same time before their signatures are verified. Together with the limit
 * per body, this limits what forged calls can occupy: 128 MiB of memory with the default settings.
 */
const MAX_UNVERIFIED = 128;

/** A body is slow if it has fewer bytes per second over this many milliseconds. */
const SLOW_BYTES = 8 * 1024;

const SHOWN_MILLISECONDS = 1000;

interface Place {
  readonly address: string;
  readonly since: number;
  bytes: number;
  readonly lost: AbortController;
}

/** Reads a body to its end. @throws GatewayError EXCEED_RATELIMIT; any error of the body */
export type Spool = (body: Readable, address: string) => Promise<Spooled>;

/** @param memoryBytes how much of one body is kept in memory */
export function createSpool(memoryBytes: number, now: () => number): Spool {
  const places = new Set<Place>();

  /**
   * Forged calls must not lock others out, neither with bodies that hardly arrive nor from a single address.
   * Evicts the slowest body of the address with the most bodies.
   * @throws GatewayError EXCEED_RATELIMIT if all bodies are fast and no address has more than this one
   */
  function makeRoom(address: string): void {
    const time = now();
    const byAddress = Map.groupBy(places, (place) => place.address);
    const own = byAddress.get(address) ?? [];
    let most = own;
    for (const some of byAddress.values()) if (some.length > most.length) most = some;
    const rateOf = ({ bytes, since }: Place) => (bytes * 1000) / Math.max(time - since, 1);
    const slowest = most.reduce((one, other) => (rateOf(other) < rateOf(one) ? other : one));
    const isSlow = time - slowest.since >= SHOWN_MILLISECONDS && rateOf(slowest) < SLOW_BYTES;
    const refusal = new GatewayError('EXCEED_RATELIMIT', { retryAfter: 1 });
    if (!isSlow && most.length <= own.length + 1) throw refusal;
    places.delete(slowest);
    slowest.lost.abort(refusal);
  }

  return async (body, address) => {
    if (places.size >= MAX_UNVERIFIED) makeRoom(address);
    const place: Place = { address, since: now(), bytes: 0, lost: new AbortController() };
    places.add(place);
    try {
      return await spoolBody(body, memoryBytes, place);
    } finally {
      places.delete(place);
    }
  };
}

interface Spooled {
  readonly hash: string;
  readonly length: number;
  readonly content: Buffer | Readable;
  dispose(): Promise<void>;
}

/**
 * Reads a body to its end, into memory up to `memoryBytes` and into a temporary file beyond that. No one else
 * can open the file: it has mode 0600 and is unlinked immediately, so that a crash leaves nothing behind.
 */
async function spoolBody(body: Readable, memoryBytes: number, place: Place): Promise<Spooled> {
  const hash = createHash('sha256');
  let held: Buffer[] = [];
  let length = 0;
  let file: FileHandle | undefined;
  const write = async (chunk: Buffer) => {
    hash.update(chunk);
    length += chunk.length;
    place.bytes += chunk.length;
    held.push(chunk);
    if (file === undefined && length <= memoryBytes) return;
    file ??= await openTemporary();
    await file.appendFile(Buffer.concat(held));
    held = [];
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
    await pipeTo(sink, body, place.lost.signal);
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

async function openTemporary(): Promise<FileHandle> {
  const path = join(tmpdir(), `berth-spool-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

/** Unlike `pipeline`, does not destroy the body: a rejected caller must still get its response. */
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

/** A full disk may have space again soon, and nothing was called. */
function toSpoolError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || (code !== 'ENOSPC' && code !== 'EDQUOT')) return error;
  const message = 'The gateway has no space for the request body. Try again later.';
  return new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause: error });
}
