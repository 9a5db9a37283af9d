import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../blob-store.ts';
import { readObject } from './open-object.ts';

const BYTES = Buffer.from('0123456789abcdef');

const ALL = { start: 0, end: 15 };

const streamOf = (...args: Parameters<typeof readObject>) =>
  Readable.from(readObject(...args), { objectMode: false });

/** Returns the bytes in chunks of three, and breaks after a number of them. */
function toBody(start: number, breaksAfter = Number.POSITIVE_INFINITY): Readable {
  let at = start;
  let chunks = 0;
  return new Readable({
    read() {
      if (chunks++ === breaksAfter) this.destroy(new Error('reset'));
      else this.push(at < BYTES.length ? BYTES.subarray(at, at + 3) : null);
      at += 3;
    },
  });
}

test('resumes after a broken connection, as long as each one returns something', async () => {
  const starts: number[] = [];
  const stream = streamOf(ALL, async ({ start }) => {
    starts.push(start);
    return { body: toBody(start, 1), start };
  });
  expect(await buffer(stream)).toEqual(BYTES);
  expect(starts).toEqual([0, 3, 6, 9, 12, 15]);
});

test('fails if connections break without a byte', async () => {
  const stream = streamOf(ALL, async ({ start }) => ({ body: toBody(start, 0), start }));
  const error = await buffer(stream).catch((reason) => reason);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error.cause).toMatchObject({ message: 'reset' });
});

test('applies backpressure while nobody reads', async () => {
  let given = 0;
  const body = new Readable({
    read() {
      given += 16_384;
      this.push(Buffer.alloc(16_384));
    },
  });
  const range = { start: 0, end: 100_000_000 };
  const stream = streamOf(range, async () => ({ body, start: 0 }));
  await new Promise((resolve) => stream.once('readable', resolve));
  await new Promise(setImmediate);
  expect(given).toBeLessThan(1_000_000);
  stream.destroy();
  await new Promise((resolve) => body.once('close', resolve));
});

test('closes a connection that opens when nobody waits for it any more', async () => {
  const body = toBody(0);
  const opened = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const stream = streamOf(ALL, async () => {
    asked.resolve();
    await opened.promise;
    return { body, start: 0 };
  });
  stream.resume();
  await asked.promise;
  stream.destroy();
  opened.resolve();
  await new Promise((resolve) => body.once('close', resolve));
});
