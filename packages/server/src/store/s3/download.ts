import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type ByteRange, StoreUnavailableError } from '@berth/storage';
import { toVerifiedBlob, type VerifiedBlob } from '../server-store.ts';
import { type Bucket, toObjectInfo } from './bucket.ts';

/** After this many connections without data, give up. */
const MAX_EMPTY_ATTEMPTS = 3;

/** Skipping this many bytes costs less than another request. */
const SKIPPED_BYTES = 256 * 1024;

/**
 * Opens an object. Reading the complete object always returns this version, even if it is replaced. A range
 * that begins far from the start gets its own request, as long as this version still exists.
 */
export async function openObject(bucket: Bucket, key: string): Promise<VerifiedBlob | undefined> {
  const found = await getObject(bucket, key);
  if (found === undefined) return undefined;
  const { info } = found;
  // Nobody has read it yet.
  let fresh: Readable | undefined = found.body;

  async function connect({ start, end }: ByteRange): Promise<ObjectBody> {
    const complete = fresh?.destroyed ? undefined : fresh;
    fresh = undefined;
    if (complete && start <= SKIPPED_BYTES) return { body: complete, start: 0 };
    const condition = { Range: `bytes=${start}-${end}`, IfMatch: found?.ETag };
    const part = await getObject(bucket, key, condition).catch((error) => {
      complete?.destroy();
      throw error;
    });
    if (part) {
      complete?.destroy();
      // RFC 9110, section 14.2: "A server MAY ignore the Range header field."
      const first = /^bytes (\d+)-/.exec(part.ContentRange ?? '')?.[1] ?? 0;
      return { body: part.body, start: Number(first) };
    }
    if (complete) return { body: complete, start: 0 };
    throw new StoreUnavailableError('The file was replaced while it was being read.');
  }

  const release = () => {
    // A connection can be reused once its response has been read to the end.
    if (info.size <= SKIPPED_BYTES) fresh?.resume();
    else fresh?.destroy();
    fresh = undefined;
  };
  return toVerifiedBlob({ info, content: (range) => readObject(range, connect), release });
}

async function getObject(
  bucket: Bucket,
  key: string,
  condition: { readonly Range?: string; readonly IfMatch?: string | undefined } = {},
) {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: key, ...condition });
  const found = await bucket.sendIfThere(command);
  if (found === undefined) return undefined;
  const body = found.Body as Readable;
  // A connection that breaks before anyone reads is replaced when someone does.
  body.on('error', () => {});
  try {
    return { ...found, body, info: toObjectInfo(found) };
  } catch (error) {
    body.destroy();
    throw error;
  }
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
  let emptyAttempts = 0;
  for (let next = start; next <= end; ) {
    const { body, start: first } = await connect({ start: next, end });
    let position = first;
    let cause: unknown;
    emptyAttempts += 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        // A connection with bytes left to read is destroyed; any other is returned to the pool.
        if (next > end) break;
        const piece = chunk.subarray(Math.max(0, next - position), Math.max(0, end + 1 - position));
        position += chunk.length;
        if (piece.length === 0) continue;
        emptyAttempts = 0;
        next += piece.length;
        yield piece;
      }
    } catch (error) {
      cause = error;
    }
    if (emptyAttempts > MAX_EMPTY_ATTEMPTS) {
      const message = 'The object store repeatedly closed the connection.';
      throw new StoreUnavailableError(message, { cause });
    }
  }
}
