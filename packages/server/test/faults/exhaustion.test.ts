import { once } from 'node:events';
import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startWhole, type Whole } from '../break-ins/support/start-whole.ts';
import { toFields } from '../break-ins/support/storage-client.ts';
import { open, statusesOf } from '../support/send-raw.ts';
import { until } from './support/until.ts';

async function connectionsOf({ adminUrl }: Whole): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^berth_connections (\d+)/m.exec(text)?.[1]);
}

/** Whether other callers are still served. */
async function expectService({ dev }: Whole, path: string): Promise<void> {
  expect((await dev.upload(path, 'served')).status).toBe(204);
  expect(await dev.read(path)).toBe('served');
}

/** A form up to the first byte of its file. */
function toForm(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(
      ([name, value]) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .concat('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n')
    .join('');
}

test('an upload that stalls is aborted, and leaves nothing; others are served meanwhile', async () => {
  const whole = await startWhole({
    listen: { port: 0, slowBodySeconds: 3, slowBodyBytes: 1000 },
  });
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open(whole.port)));
  const responses = sockets.map((socket) => buffer(socket));
  for (const socket of sockets) {
    // A separate grant each: only a few uploads may share one.
    const form = toForm(toFields(await whole.dev.grant('a.txt'), 'a.txt'));
    socket.write(
      `POST /upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n${form}${'x'.repeat(100_000)}`,
    );
  }
  await until(async () => (await whole.disk()).length > 30);
  await expectService(whole, 'b.txt');
  for (const response of await Promise.all(responses)) {
    expect(statusesOf(response.toString())).toEqual([408]);
  }
  await until(async () => (await whole.disk()).length === 2);
  expect(await whole.dev.read('a.txt')).toBeUndefined();
});

test('disconnects clients that trickle their headers, however many, and serves others meanwhile', async () => {
  const whole = await startWhole({ listen: { port: 0, headersSeconds: 1 } });
  const sockets = await Promise.all(Array.from({ length: 100 }, () => open(whole.port)));
  // A caught error counts even before all are awaited: a write may meet a closed connection.
  const responses = sockets.map((socket) => buffer(socket).catch(() => ''));
  for (const socket of sockets) socket.write('GET /files/a HTTP/1.1\r\nHost: a\r\nX-A: ');
  const trickle = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 100);
  onTestFinished(() => clearInterval(trickle));
  await expectService(whole, 'a.txt');
  for (const response of await Promise.all(responses)) {
    expect([408, undefined]).toContain(statusesOf(response.toString())[0]);
  }
  await until(async () => (await connectionsOf(whole)) < 100);
});

test('idle connections cost little, and are closed at their timeout', async () => {
  const whole = await startWhole({ listen: { port: 0, keepAliveSeconds: 5 } });
  const sockets = await Promise.all(Array.from({ length: 150 }, () => open(whole.port)));
  for (const socket of sockets) {
    socket.resume().write('GET /files/a HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  // On a busy machine, the first ones may be closed before the last ones are open.
  const isClosed = () => sockets.some((socket) => socket.closed);
  await until(async () => (await connectionsOf(whole)) >= 150 || isClosed());
  await expectService(whole, 'a.txt');
  await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
  await until(async () => (await connectionsOf(whole)) < 50);
});

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

const HANDSHAKE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

const toHandshake = (token: string) =>
  `GET /v1/cloudrun/hello HTTP/1.1\r\nHost: dev.localhost\r\nAuthorization: Bearer ${token}\r\n${HANDSHAKE}\r\n`;

test('ends WebSocket handshakes that are never finished, on both sides', async () => {
  // A service that accepts the connection, and is silent.
  const upstream = new Set<unknown>();
  const silent = createServer((socket) => {
    upstream.add(socket);
    socket.resume().on('error', () => {});
    socket.once('close', () => upstream.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port: silentPort } = silent.address() as { port: number };
  const whole = await startWhole();
  const { dev, qa } = whole.config.environments as Record<string, object>;
  const services = { hello: { endpoints: [`http://127.0.0.1:${silentPort}`] } };
  await whole.server.reload({
    ...whole.config,
    environments: { dev: { ...dev, services }, qa: qa as object },
  });
  const token = await whole.token('dev');

  const waiting = await Promise.all(Array.from({ length: 50 }, () => open(whole.port)));
  for (const socket of waiting) socket.write(toHandshake(token));
  await until(() => upstream.size === 50);
  for (const socket of waiting) socket.resetAndDestroy();
  await until(() => upstream.size === 0);
  await until(async () => (await connectionsOf(whole)) === 0);
});

test('closes the half-open connection of a refused WebSocket', async () => {
  const whole = await startWhole();
  const refused = await Promise.all(Array.from({ length: 50 }, () => open(whole.port)));
  for (const socket of refused) {
    socket.allowHalfOpen = true;
    socket.write(toHandshake('x.y.z'));
    socket.resume();
  }
  await Promise.all(refused.map((socket) => once(socket, 'end')));
  await until(async () => (await connectionsOf(whole)) === 0);
});
