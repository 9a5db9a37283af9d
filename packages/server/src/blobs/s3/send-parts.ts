import { UploadPartCommand } from '@aws-sdk/client-s3';
import { type Bucket, toCallOptions } from './bucket.ts';
import type { SentPart, UploadOfParts } from './multipart.ts';
import { withS3Errors } from './to-s3-error.ts';

/** Parts on their way at once. Each has one buffer, used again and again: the memory of an upload. */
const PARALLEL_PARTS = 3;
const NOTHING = { number: 0, length: 0 };

/**
 * Sends a content in parts of one size. The SDK's own `Upload` makes new buffers for each part, which
 * took 130 MB, and goes on to the end of the content when a part has failed.
 *
 * @param content pieces that are gone when the next one is asked for
 * @param takeMemory whether there is memory for one more part; the upload has that of one already
 */
export async function sendParts(
  { client }: Bucket,
  upload: UploadOfParts,
  content: AsyncIterator<Buffer, void>,
  partBytes: number,
  takeMemory: (bytes: number) => boolean,
  signal?: AbortSignal,
): Promise<SentPart[]> {
  const failed = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const parts: SentPart[] = [];
  let rest: Buffer | undefined;
  let count = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** Fills a part. Bytes used; fewer than there is room for at the end. */
  async function fill(part: Buffer): Promise<{ readonly number: number; readonly length: number }> {
    let length = 0;
    while (length < part.length) {
      stop.throwIfAborted();
      if (!rest) {
        const next = await content.next();
        if (next.done) break;
        rest = next.value;
      }
      const used = rest.copy(part, length);
      length += used;
      rest = used < rest.length ? rest.subarray(used) : undefined;
    }
    if (length > 0) count++;
    return { number: count, length };
  }

  async function sendSome(sender: number): Promise<void> {
    let buffer: Buffer | undefined;
    for (;;) {
      const filled = turn.then(() => {
        if (buffer === undefined && sender > 0 && !takeMemory(partBytes)) return NOTHING;
        buffer ??= Buffer.allocUnsafeSlow(partBytes);
        return fill(buffer);
      });
      turn = filled.catch(() => {});
      const { number, length } = await filled;
      if (buffer === undefined || length === 0) return;
      const Body = buffer.subarray(0, length);
      const part = new UploadPartCommand({ ...upload, PartNumber: number, Body });
      const { ETag } = await withS3Errors(() => client.send(part, toCallOptions(stop)), signal);
      parts.push({ PartNumber: number, ETag });
      if (length < partBytes) return;
    }
  }

  const senders = Array.from({ length: PARALLEL_PARTS }, (_, sender) =>
    sendSome(sender).catch((error) => {
      // The first failure is what is told of all others.
      failed.abort(error);
    }),
  );
  await Promise.all(senders);
  stop.throwIfAborted();
  return parts;
}
