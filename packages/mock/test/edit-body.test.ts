import { createServer } from 'node:http';
import { pipeline, Readable, Transform } from 'node:stream';
import { expect, test } from 'vitest';
import { listen } from '../../../scripts/testing/listen.ts';
import { editBody } from '../src/faults/edit-body.ts';

test('an edit that is slower than the connection slows its writer down', async () => {
  const chunks = Array.from('01234567', (digit) => Buffer.alloc(100_000, digit));
  const unread: number[] = [];
  await using server = await listen(
    createServer((_, response) => {
      const toDigit = new Transform({
        transform(chunk: Buffer, _, done) {
          unread.push(this.writableLength);
          setImmediate(done, null, chunk.subarray(0, 1));
        },
      });
      editBody(response, toDigit);
      pipeline(Readable.from(chunks), response, () => {});
    }),
  );
  const response = await fetch(server.url);
  expect(await response.text()).toBe('01234567');
  // Each chunk is larger than what a stream buffers, so that the next one waits.
  expect(unread).toEqual(chunks.map((chunk) => chunk.length));
});
