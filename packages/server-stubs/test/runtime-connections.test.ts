import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { createTableRouter } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { open, receive, sendRaw } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { ANY_JSON, toTable } from './support/to-table.ts';

const body = { required: true, content: [ANY_JSON] };
const router = createTableRouter(
  toTable([{ path: '/', method: 'POST', body }]),
  { operation: ({ body }) => ({ status: 200, body: { body } }) },
  { requests: { bodyBytes: 1000 } },
);

const post = (length: number, more = '') =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

it('responds to a body that is too large without waiting for it, reads little of it, and closes', async () => {
  const server = createServer(router);
  const connected = once(server, 'connection');
  const socket = await open(await serve(server));
  const [peer] = (await connected) as [Socket];
  const closed = once(peer, 'close');
  socket.write(post(1_000_000_000));
  await receive(socket, 'larger than 1000 bytes');
  const piece = Buffer.alloc(1_000_000);
  const write = () => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', write);
  write();
  await closed;
  expect(peer.bytesRead).toBeLessThan(64_000_000);
});

it('lets a client read the response while it is still sending', async () => {
  const last = `${post(2, 'Connection: close\r\n')}{}`;
  const text = await sendRaw(await serve(router), post(8_000_000), 'x'.repeat(8_000_000), last);
  expect(statusesOf(text)).toEqual(['413', '200']);
});

it('requests a body only when it will be read', async () => {
  const server = createServer(router).on('checkContinue', router.checkContinue);
  const base = await serve(server);
  const expects = 'Expect: 100-continue\r\nConnection: close\r\n';
  const good = await open(base);
  good.write(post(2, expects));
  await receive(good, 'HTTP/1.1 100 Continue\r\n\r\n');
  good.write('{}');
  expect(await receive(good, '}')).toContain('HTTP/1.1 200');
  expect(statusesOf(await sendRaw(base, post(2000, expects)))).toEqual(['413']);
});
