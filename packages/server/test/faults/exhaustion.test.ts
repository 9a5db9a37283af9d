import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startRawService } from '../server/support/hosted-service.ts';
import { serving, startServer } from '../server/support/start-server.ts';
import { HANDSHAKE, open } from '../support/send-raw.ts';

test('refuses connections beyond the limit, and accepts them again afterwards', async () => {
  const { port, metric, send } = await startServer({ listen: { maxConnections: 20 } });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open(port)));
  const late = await open(port);
  if (!late.closed) await once(late.resume(), 'close');
  // It was closed because of the limit, not by a timeout, which would have closed the others first.
  expect(await metric('berth_connections')).toBe(20);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => metric('berth_connections')).toBe(0);
  expect(await send()).toMatchObject({ code: 'SERVICE_NOT_FOUND' });
});

test('ends WebSocket handshakes that are never finished, on both sides', async () => {
  // A service that accepts the connection, and is silent.
  const upstream = new Set<unknown>();
  const silent = await startRawService((socket) => {
    upstream.add(socket);
    socket.resume().once('close', () => upstream.delete(socket));
  });
  const { port, toGet, metric } = await startServer({}, serving(silent));
  const waiting = await Promise.all(Array.from({ length: 10 }, () => open(port)));
  for (const socket of waiting) socket.write(toGet(HANDSHAKE));
  await expect.poll(() => upstream.size).toBe(10);
  for (const socket of waiting) socket.resetAndDestroy();
  await expect.poll(() => upstream.size).toBe(0);
  await expect.poll(() => metric('berth_connections')).toBe(0);
});

test('closes the half-open connection of a refused WebSocket', async () => {
  const { port, toGet, metric } = await startServer();
  const refused = await Promise.all(Array.from({ length: 10 }, () => open(port)));
  for (const socket of refused) {
    socket.allowHalfOpen = true;
    socket.write(toGet(HANDSHAKE));
    socket.resume();
  }
  await Promise.all(refused.map((socket) => once(socket, 'end')));
  await expect.poll(() => metric('berth_connections')).toBe(0);
});
