import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type ByteRange, StoreUnavailableError } from './blob-store.ts';
import { type Bucket, sendIfThere, toObjectInfo, toVersion } from './s3-objects.ts';
import { toOpenBlob } from './verify.ts';

/** This many broken connections without a byte are no accident. */
const MAX_FRUITLESS = 3;

/** Skipping this many bytes costs less than another request. */
const SKIPPED_BYTES = 256 * 1024;

/**
 * Opens an object. Reading the complete object always returns this version, even if it is replaced. A range
 * that begins far from the start gets its own request, as long as this version still exists.
 */
export async function openObject(bucket: Bucket, key: string) {
  const found = await getObject(bucket, key);
  if (found === undefined) return undefined;
  const info = toObjectInfo(found);
  const version = found.ETag;
  const body = found.Body as Readable;
  // A connection that breaks before anyone reads is replaced when someone does.
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
    // A connection can be reused once its response has been read to the end.
    if (info.size <= SKIPPED_BYTES) held?.resume();
    else held?.destroy();
    held = undefined;
  };
  const content = (range: ByteRange) => readObject(range, connect);
  const blob = toOpenBlob({ info, crc32: info.crc32, content, release: letGo });
  return { ...blob, info, version: toVersion(found) };
}

function getObject(
  bucket: Bucket,
  key: string,
  part?: ByteRange & { readonly version: string | undefined },
) {
  const command = new GetObjectCommand({
    Bucket: bucket.name,
    Key: key,
    ...(part && { Range: `bytes=${part.start}-${part.end}`, IfMatch: part.version }),
  });
  return sendIfThere(bucket, command);
}

interface ObjectBody {
  readonly body: Readable;
  readonly start: number;
}

/**
 * Yields the chunks of a range of an object. Resumes with a new connection if one breaks: stores close
 * connections whose readers pause for long.
 * @param connect returns the object from the start of the range or before, to its end or beyond
 */
async function* readObject(
  { start, end }: ByteRange,
  connect: (range: ByteRange) => Promise<ObjectBody>,
): AsyncGenerator<Buffer> {
  let fruitless = 0;
  for (let next = start; next <= end; ) {
    const { body, start: first } = await connect({ start: next, end });
    let position = first;
    let cause: unknown;
    fruitless += 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        // A connection with bytes left to read is destroyed; any other is returned to the pool.
        if (next > end) break;
        const piece = chunk.subarray(Math.max(0, next - position), Math.max(0, end + 1 - position));
        position += chunk.length;
        if (piece.length === 0) continue;
        fruitless = 0;
        next += piece.length;
        yield piece;
      }
    } catch (error) {
      cause = error;
    }
    if (fruitless > MAX_FRUITLESS) {
      const message = 'The object store repeatedly closed the connection.';
      throw new StoreUnavailableError(message, { cause });
    }
  }
}
