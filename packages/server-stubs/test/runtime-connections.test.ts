import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRouter, type Handler, type RequestLimits } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { open, receive, sendRaw } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { ANY_JSON, toTable } from './support/to-table.ts';

const TABLE = toTable([
  { path: '/', method: 'POST', body: { required: true, content: [ANY_JSON] } },
  { path: '/', operationId: 'get' },
]);
const echo: Handler = ({ body }) => ({ status: 200, body: { body } });

function createTestRouter(requests: RequestLimits = {}) {
  return createRouter(TABLE, { operation: echo, get: echo }, { requests });
}

const start = (requests?: RequestLimits) => serve(createTestRouter(requests));
const post = (length: number, more = '', type = 'application/json') =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${more}\r\n`;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

it('responds to pipelined requests in their order', async () => {
  const text = await sendRaw(await start(), GET, post(2), '{}', GET, post(1), '{', LAST);
  expect(statusesOf(text)).toEqual(['200', '200', '200', '400', '200']);
});

it('responds to a body that is too large without waiting for it, and closes', async () => {
  const base = await start({ bodyBytes: 1000 });
  const socket = await open(base);
  socket.write(post(1_000_000));
  const text = await receive(socket, 'larger than 1000 bytes');
  expect(text).toContain('connection: close');
  socket.write(Buffer.alloc(1_000_000));
  await once(socket, 'close');
});

it('lets a client read the refusal while it is still sending', async () => {
  const base = await start({ bodyBytes: 1000 });
  const text = await sendRaw(base, post(8_000_000), 'x'.repeat(8_000_000));
  expect(statusesOf(text)).toEqual(['413']);
  expect(text).toContain('larger than 1000 bytes');
});

it('forgets a client that disconnects in the middle of its body', async () => {
  const base = await start();
  const socket = await open(base);
  socket.end(`${post(100)}{"a"`);
  socket.resume();
  await once(socket, 'close');
  expect(statusesOf(await sendRaw(base, LAST))).toEqual(['200']);
});

it('requests a body only when it will be read', async () => {
  const router = createTestRouter({ bodyBytes: 1000 });
  const server = createServer(router).on('checkContinue', router.checkContinue);
  const base = await serve(server);
  const expects = 'Expect: 100-continue\r\nConnection: close\r\n';
  const good = await open(base);
  good.write(post(2, expects));
  await receive(good, 'HTTP/1.1 100 Continue\r\n\r\n');
  good.write('{}');
  expect(await receive(good, '}')).toContain('HTTP/1.1 200');
  const refused = await open(base);
  refused.write(post(2000, expects));
  const text = await receive(refused, 'larger than');
  expect(statusesOf(text)).toEqual(['413']);
  good.destroy();
  refused.destroy();
});
