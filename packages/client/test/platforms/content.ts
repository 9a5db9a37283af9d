import { assertEqual } from './assert.ts';

/** A file that no platform sends in one piece: browsers report progress only every 50 ms. */
export const LARGE = 'XMLHttpRequest' in globalThis ? 100_000_000 : 16_000_000;

const BLOCK = 1024 * 1024;
/** Odd, so that no two blocks begin alike within any size that is used here. */
const STRIDE = 251;

const block = Uint8Array.from({ length: BLOCK + STRIDE }, (_, index) => (index * 31 + 7) % STRIDE);

/** Bytes of a content from one place on, at most a block of them: each depends on its place. */
function bytesAt(offset: number, length: number): Uint8Array<ArrayBuffer> {
  const start = offset % STRIDE;
  return block.slice(start, start + Math.min(length, BLOCK));
}

/** Content of this many bytes, in chunks. */
function* piecesOf(size: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let offset = 0; offset < size; offset += BLOCK) yield bytesAt(offset, size - offset);
}

/** Content of this many bytes. */
export function blobOf(size: number): Blob {
  return new Blob([...piecesOf(size)]);
}

/** The same as a stream, which yields a chunk on demand. */
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

/** Fails unless a body is exactly that content. */
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
