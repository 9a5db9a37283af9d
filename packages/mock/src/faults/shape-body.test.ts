import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import type { BodyShape } from './fault.ts';
import { shapeBody } from './shape-body.ts';

const WHOLE: BodyShape = { limit: Infinity, byReset: false, bytesPerSecond: Infinity };

/** Starts a server with shaped responses. */
async function serve(shape: BodyShape, respond: (response: ServerResponse) => unknown) {
  const server = createServer((_, response) => {
    shapeBody(response, shape);
    respond(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    get: async () => {
      const outgoing = get({ port, host: '127.0.0.1', agent: false });
      // A reset also emits an error on the request, after its response has begun.
      outgoing.on('error', () => {});
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return response;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const chunks = (count: number, size: number) =>
  Readable.from(Array.from({ length: count }, (_, index) => Buffer.alloc(size, index)));

test('a response in one piece has a length', async () => {
  await using server = await serve(WHOLE, (response) => response.end('中文', 'utf8'));
  const response = await server.get();
  expect(response.headers['content-length']).toBe('6');
  expect((await buffer(response)).toString()).toBe('中文');
});

test('a response in pieces arrives in order, and its callbacks are called', async () => {
  const called: string[] = [];
  await using server = await serve({ ...WHOLE, bytesPerSecond: 100_000 }, (response) => {
    response.write('a', () => called.push('write'));
    response.write(new Uint8Array([98]), 'utf8');
    response.write('63', 'hex');
    response.end('d', () => called.push('end'));
    response.end('never');
  });
  expect((await buffer(await server.get())).toString()).toBe('abcd');
  expect(called).toEqual(['write', 'end']);
});

test('applies backpressure to the writer', async () => {
  let produced = 0;
  const source = new Readable({
    highWaterMark: 1_024,
    read() {
      produced += 1_024;
      this.push(Buffer.alloc(1_024));
    },
  });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  await using server = await serve({ ...WHOLE, bytesPerSecond: 20_000 }, (response) => {
    pipeline(source, response).catch(resolve);
  });
  const response = await server.get();
  let read = 0;
  for await (const chunk of response) {
    read += chunk.length;
    if (read > 10_000) break;
  }
  expect(produced).toBeLessThan(read + 60_000);
  expect(await promise).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  expect(source.destroyed).toBe(true);
});

test('sends a long stream completely and at its rate', async () => {
  await using server = await serve({ ...WHOLE, bytesPerSecond: 2_000_000 }, (response) => {
    void pipeline(chunks(40, 20_000), response);
  });
  const start = performance.now();
  const bytes = await buffer(await server.get());
  expect(bytes.length).toBe(800_000);
  expect(bytes[799_999]).toBe(39);
  expect(performance.now() - start).toBeGreaterThan(300);
});
