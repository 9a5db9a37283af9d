import type { Readable } from 'node:stream';
import { countBuffer } from '../collect-buffers.ts';
import type { Md5 } from '../md5/create-md5.ts';

/**
 * The pieces of a content, hashed on their way.
 *
 * @throws Error where the content has another length than was told
 */
export async function* countContent(
  content: Readable,
  md5: Md5,
  expected: number | undefined,
  onBytes: (size: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    countBuffer(chunk.length);
    size += chunk.length;
    onBytes(size);
    if (expected !== undefined && size > expected) throw wrongSize(expected, 'more');
    await md5.update(chunk);
    yield chunk;
  }
  if (expected !== undefined && size < expected) throw wrongSize(expected, `${size}`);
}

function wrongSize(expected: number, found: string): Error {
  return new Error(`The content should have ${expected} bytes, and has ${found}.`);
}
