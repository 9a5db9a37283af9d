import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startWhole, type Whole } from '../break-ins/support/start-whole.ts';
import { startRawService } from '../server/support/hosted-service.ts';
import { HANDSHAKE, open } from '../support/send-raw.ts';
import { until } from './support/until.ts';

const connectionsOf = ({ metric }: Whole) => metric('berth_connections');

/** Whether other callers are still served. */
async function expectService({ dev }: Whole, path: string): Promise<void> {
  expect((await dev.upload(path, 'served')).status).toBe(204);
  expect(await dev.read(path)).toBe('served');
}

test('refuses connections beyond the limit, and accepts them again afterwards', async () => {
  const whole = await startWhole({ listen: { port: 0, maxConnections: 20 } });
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open(whole.port)));
  const late = await open(whole.port);
  if (!late.closed) await once(late.resume(), 'close');
  // It was closed because of the limit, not by a timeout, which would have closed the others first.
  expect(await connectionsOf(whole)).toBe(20);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await connectionsOf(whole)) === 0);
  await expectService(whole, 'a.txt');
});

const toHandshake = (token: string) =>
  `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: Bearer ${token}\r\n${HANDSHAKE}\r\n`;

test('ends WebSocket handshakes that are never finished, on both sides', async () => {
  // A service that accepts the connection, and is silent.
  const upstream = new Set<unknown>();
  const url = await startRawService((socket) => {
    upstream.add(socket);
    socket.resume().once('close', () => upstream.delete(socket));
  });
  const whole = await startWhole();
  const { dev, qa } = whole.config.environments as Record<string, object>;
  const services = { hello: { endpoints: [url] } };
  await whole.server.reload({
    ...whole.config,
    environments: { dev: { ...dev, services }, qa: qa as object },
  });
  const token = await whole.token('dev');

  const waiting = await Promise.all(Array.from({ length: 10 }, () => open(whole.port)));
  for (const socket of waiting) socket.write(toHandshake(token));
  await until(() => upstream.size === 10);
  for (const socket of waiting) socket.resetAndDestroy();
  await until(() => upstream.size === 0);
  await until(async () => (await connectionsOf(whole)) === 0);
});

test('closes the half-open connection of a refused WebSocket', async () => {
  const whole = await startWhole();
  const refused = await Promise.all(Array.from({ length: 10 }, () => open(whole.port)));
  for (const socket of refused) {
    socket.allowHalfOpen = true;
    socket.write(toHandshake('x.y.z'));
    socket.resume();
  }
  await Promise.all(refused.map((socket) => once(socket, 'end')));
  await until(async () => (await connectionsOf(whole)) === 0);
});
