import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { type ByteRange, type OpenBlob, StoreUnavailableError } from '../blob-store.ts';
import { countBuffer } from '../collect-buffers.ts';
import { type Bucket, toBlobInfo, toVersion } from './bucket.ts';
import { isMissing, isRefusedCondition, withS3Errors } from './to-s3-error.ts';

/** A connection that breaks so often without a byte is no accident. */
const MAX_FRUITLESS = 3;

/** To read past so much costs less than a call. */
const SKIPPED_BYTES = 256 * 1024;

interface OpenObject extends OpenBlob {
  /** As `toVersion` says it. */
  readonly version: string;
}

/**
 * Opens an object. A call for the whole of it holds its version, whatever replaces it; a part of it
 * that lies far behind the beginning has a call of its own while that version is still there.
 */
export async function openObject(bucket: Bucket, key: string): Promise<OpenObject | undefined> {
  const found = await getObject(bucket, key);
  if (found === undefined) return undefined;
  const info = toBlobInfo(found);
  const version = found.ETag;
  const body = found.Body as Readable;
  // A connection that breaks before anybody reads is replaced when somebody does.
  body.on('error', () => {});
  let held: Readable | undefined = body;

  async function connect({ start, end }: ByteRange): Promise<ObjectBody> {
    const whole = held?.destroyed ? undefined : held;
    held = undefined;
    if (whole && start <= SKIPPED_BYTES) return { body: whole, start: 0 };
    const range = { start, end, version };
    const part = await getObject(bucket, key, range).catch((error) => {
      whole?.destroy();
      throw error;
    });
    if (part) {
      whole?.destroy();
      return { body: part.Body as Readable, start };
    }
    if (whole) return { body: whole, start: 0 };
    throw new StoreUnavailableError('The file was replaced while it was being read.');
  }

  const letGo = () => {
    // A connection whose answer is read to its end can be used again.
    if (info.size <= SKIPPED_BYTES) held?.resume();
    else held?.destroy();
    held = undefined;
  };
  const read = (range: ByteRange = { start: 0, end: info.size - 1 }) =>
    new ObjectStream(range, connect).once('close', letGo);
  return {
    info,
    version: toVersion(found),
    read,
    sendTo: (target, range) => pipeline(read(range), target),
    close: async () => letGo(),
  };
}

/** Undefined where there is no such object, or not that version. */
function getObject(
  { client, name }: Bucket,
  key: string,
  part?: ByteRange & { readonly version: string | undefined },
): Promise<GetObjectCommandOutput | undefined> {
  const command = new GetObjectCommand({
    Bucket: name,
    Key: key,
    ...(part && { Range: `bytes=${part.start}-${part.end}`, IfMatch: part.version }),
  });
  return withS3Errors(async () => {
    try {
      return await client.send(command);
    } catch (error) {
      if (isMissing(error) || isRefusedCondition(error)) return undefined;
      throw error;
    }
  });
}

/** Bytes of an object, and the place where they begin. */
interface ObjectBody {
  readonly body: Readable;
  readonly start: number;
}

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
