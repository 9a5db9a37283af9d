import { assertEqual } from './assert.ts';

/** A file that no platform sends in one piece, because browsers report progress only every 50 ms. */
export const LARGE = 'XMLHttpRequest' in globalThis ? 100_000_000 : 16_000_000;

const BLOCK = 1024 * 1024;
/** An odd number, so that no two blocks of any size used here start alike. */
const STRIDE = 251;

const block = Uint8Array.from({ length: BLOCK + STRIDE }, (_, index) => (index * 31 + 7) % STRIDE);

/** Returns the bytes from an offset on, at most one block. Each byte depends on its offset. */
function bytesAt(offset: number, length: number): Uint8Array<ArrayBuffer> {
  const start = offset % STRIDE;
  return block.slice(start, start + Math.min(length, BLOCK));
}

/** Yields content of this many bytes, in chunks. */
function* piecesOf(size: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let offset = 0; offset < size; offset += BLOCK) yield bytesAt(offset, size - offset);
}

/** Returns content of this many bytes. */
export function blobOf(size: number): Blob {
  return new Blob([...piecesOf(size)]);
}

/** Returns the same content as a stream, which yields chunks on demand. */
export function streamOf(size: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = piecesOf(size);
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Fails unless a body has exactly this content. */
export async function assertContent(
  body: ReadableStream<Uint8Array> | null,
  size: number,
  from = 0,
): Promise<void> {
  const reader = body?.getReader();
  let offset = from;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) break;
    assertSame(value, offset);
    offset += value.byteLength;
  }
  assertEqual(offset - from, size, 'bytes');
}

function assertSame(actual: Uint8Array, offset: number): void {
  for (let at = 0; at < actual.byteLength; at += BLOCK) {
    const expected = bytesAt(offset + at, actual.byteLength - at);
    for (let index = 0; index < expected.byteLength; index += 1) {
      if (actual[at + index] !== expected[index]) {
        throw new Error(`byte ${offset + at + index} is not as it was sent`);
      }
    }
  }
}
