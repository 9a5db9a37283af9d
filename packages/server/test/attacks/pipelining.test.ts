import { once } from 'node:events';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startInFront } from '../server/support/start-server.ts';
import { HANDSHAKE, open, sendRaw } from '../support/send-raw.ts';

/** A server with a service whose responses end, begin, or never do. */
async function startSlow() {
  const targets: string[] = [];
  const { port, metric, metrics, toGet } = await startInFront((request, response) => {
    targets.push(request.url ?? '');
    if (request.url === '/begun') response.write('begun');
    if (request.url === '/done') response.end();
  });
  const toCall = (path: string, more = '') => toGet(more, `/v1/cloudrun/hello${path}`);
  return { port, toCall, metric, metrics, targets };
}

/** What a server sends until it closes the connection. */
const readAll = async (socket: Socket) =>
  (await buffer(socket).catch(() => Buffer.alloc(0))).toString();

const HTTP_2 = 'GET / HTTP/2.0\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
const TWO_HOSTS = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
const UPGRADE = `GET / HTTP/2.0\r\nHost: a\r\n${HANDSHAKE}\r\n`;

test.each([
  ['an unsupported version', HTTP_2],
  ['invalid HTTP', 'garbage\r\n\r\n'],
  ['faulty framing', CHUNKED],
  ['an upgrade in an unsupported version', UPGRADE],
])('%s after a request is not refused in or in place of its response', async (_, refused) => {
  const { port, toCall, targets } = await startSlow();
  const [begun, silent] = [await open(port), await open(port)];
  begun.write(toCall('/begun'));
  silent.write(toCall('/silent'));
  await once(begun, 'readable');
  await expect.poll(() => targets.length).toBe(2);
  begun.write(refused);
  silent.write(refused);
  expect(await readAll(begun)).not.toContain('INVALID_REQUEST');
  expect(await readAll(silent)).toBe('');
});

test('serves no request after one that was refused', async () => {
  const { port, toCall, metric, targets } = await startSlow();
  // With a known token and an idle connection to the service, a call is made at once.
  await sendRaw(port, toCall('/done', 'Connection: close\r\n'));
  const socket = await open(port);
  socket.write(TWO_HOSTS + toCall('/refused'));
  expect(await readAll(socket)).toContain('INVALID_HOST');
  await expect.poll(() => metric('berth_calls_active')).toBe(0);
  expect(targets).toEqual(['/done']);
});

test.each([
  ['calls', ''],
  ['calls before a WebSocket', HANDSHAKE],
])('releases pipelined %s when their connection closes', async (_, headers) => {
  const { port, toCall, metric, targets } = await startSlow();
  const socket = await open(port);
  socket.write(toCall('/1') + toCall('/2'));
  await expect.poll(() => targets.length).toBe(2);
  socket.write(toCall('/3', headers));
  socket.destroySoon();
  await expect.poll(() => metric('berth_calls_active')).toBe(0);
  await expect.poll(() => metric('berth_service_calls_active')).toBe(0);
});

test('counts a call behind which a WebSocket is pipelined as aborted by the server', async () => {
  const { port, toCall, metric, metrics, targets } = await startSlow();
  const socket = await open(port);
  socket.write(toCall('/silent'));
  await expect.poll(() => targets.length).toBe(1);
  socket.write(toCall('/socket', HANDSHAKE));
  expect(await readAll(socket)).toBe('');
  await expect.poll(() => metric('berth_calls_active')).toBe(0);
  expect(await metrics()).toMatch(/^berth_calls_total\{.*status="aborted"/m);
  expect(await metrics()).not.toContain('status="disconnected"');
});

test('closes a connection with many open requests', async () => {
  const { port, toCall, metric, metrics, targets } = await startSlow();
  const socket = await open(port);
  socket.write(toCall('/silent').repeat(200));
  expect(await readAll(socket)).toBe('');
  await expect.poll(() => metric('berth_calls_active')).toBe(0);
  expect(targets.length).toBeLessThanOrEqual(64);
  expect(await metrics()).toMatch(/^berth_calls_total\{.*status="aborted"/m);
});
