import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import {
  BEARER,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const POST = { method: 'POST', body: 'x' };

/** A clock that never advances: an ejected endpoint stays ejected. */
const STILL = { now: () => 0 };

const startGood = () =>
  startService((request, response) => request.resume().on('end', () => response.end('ok')));

/** A service that does this with each request, by its first line. */
function startActing(act: (socket: Socket, line: string) => void) {
  return startRawService((socket) => {
    socket.on('data', (chunk) => {
      const line = chunk.toString('latin1').split('\r\n', 1)[0] as string;
      if (/^[A-Z]+ \//.test(line)) act(socket, line);
    });
  });
}

it.each([
  ['closes', (socket: Socket) => socket.end()],
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ['sends garbage', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
  ['closes in its head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nA: b\r\n')],
])('ejects an endpoint that accepts connections and %s', async (_what, act) => {
  const bad = await startActing(act);
  const good = await startGood();
  const service = toService([bad.origin, good.origin]);
  const { base, gateway } = await startGateway([service], STILL);
  const failed: unknown[] = [];
  for (let time = 0; time < 40; time += 1) {
    const { code } = await send(base, HELLO, POST);
    if (code !== undefined) failed.push(code);
  }
  expect(failed).toEqual(['BAD_GATEWAY', 'BAD_GATEWAY', 'BAD_GATEWAY']);
  expect(gateway.stats().endpoints[0]).toMatchObject({ isEjected: true, outstanding: 0 });
});

it('ejects an endpoint after five responses of 500 or above, but not the last one', async () => {
  let calls = 0;
  const bad = await startService((request, response) => {
    calls += 1;
    response.writeHead(request.url === '/good' ? 200 : 503).end('bad');
  });
  const { base, gateway } = await startGateway([toService([bad.origin])], STILL);
  for (const path of ['/a', '/b', '/c', '/d', '/good', '/a', '/b', '/c', '/d']) {
    await send(base, HELLO + path);
  }
  const isEjected = () => gateway.stats().endpoints[0]?.isEjected;
  expect(isEjected()).toBe(false);
  expect(await send(base, HELLO)).toMatchObject({ status: 503, text: 'bad' });
  expect(isEjected()).toBe(true);
  expect(await send(base, HELLO)).toMatchObject({ status: 503, text: 'bad' });
  expect(calls).toBe(11);
  expect(await send(base, `${HELLO}/good`)).toMatchObject({ status: 200 });
  expect(isEjected()).toBe(false);
});

it('checks endpoints between calls, as long as the service is called', async () => {
  let isHealthy = false;
  const seen: string[] = [];
  const service = await startService((request, response) => {
    if (request.url !== '/healthz') response.end('called');
    else
      response.writeHead(isHealthy ? 204 : 404).end(String(seen.push(`${request.headers.host}`)));
  });
  const endpoint = { origin: service.origin, servername: 'orders.test' };
  const version = { name: 'v1', weight: 1, hasResource: true, endpoints: [endpoint] };
  const health = { path: '/healthz', everySeconds: 0.1 };
  const { base, gateway } = await startGateway([
    toService([], { versions: [version], health }),
    toService([service.origin], { name: 'unchecked' }),
  ]);
  await send(base, '/v1/cloudrun/unchecked');
  const isEjected = () => gateway.stats().endpoints[1]?.isEjected;
  expect(await send(base, HELLO)).toMatchObject({ text: 'called' });
  await expect.poll(isEjected, { timeout: 300_000 }).toBe(true);
  expect(gateway.stats().endpoints[0]?.isEjected).toBe(false);
  expect(seen[0]).toBe(`orders.test:${new URL(service.origin).port}`);
  expect(await send(base, HELLO)).toMatchObject({ text: 'called' });
  isHealthy = true;
  await expect.poll(isEjected, { timeout: 300_000 }).toBe(false);
  service.server.closeAllConnections();
  service.server.close();
  await expect.poll(isEjected, { timeout: 300_000 }).toBe(true);
});

it('ejects an endpoint that accepts calls and is silent', async () => {
  const bad = await startActing(() => {});
  const good = await startGood();
  const service = toService([bad.origin, good.origin]);
  // Long enough for the healthy one to respond on a busy machine.
  const { base } = await startGateway([service], { ...STILL, headersSeconds: 1 });
  const codes: unknown[] = [];
  for (let time = 0; time < 40; time += 1) codes.push((await send(base, HELLO)).code);
  expect(codes.filter(Boolean)).toEqual(Array(3).fill('SERVICE_TIMEOUT'));
});

it('retries a GET without a response at another endpoint, and no POST', async () => {
  const bad = await startActing((socket) => socket.end());
  const good = await startGood();
  const service = toService([bad.origin, good.origin]);
  const { base } = await startGateway([service], STILL);
  for (let time = 0; time < 20; time += 1) {
    expect(await send(base, HELLO)).toMatchObject({ status: 200 });
  }
});

it('does not retry a GET whose response has begun', async () => {
  let calls = 0;
  const act = (socket: Socket) => {
    calls += 1;
    socket.end('HTTP/1.1 200 OK\r\nA: b\r\n');
  };
  const both = await Promise.all([startActing(act), startActing(act)]);
  const { base } = await startGateway([toService(both.map(({ origin }) => origin))]);
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY' });
  expect(calls).toBe(1);
});

it('keeps the only endpoint available when a few requests break it', async () => {
  const { origin } = await startActing((socket, line) => {
    if (line.includes('/poison')) socket.resetAndDestroy();
    else socket.write(OK);
  });
  const { base, gateway } = await startGateway([toService([origin])], STILL);
  for (let time = 0; time < 10; time += 1) {
    expect(await send(base, `${HELLO}/poison`)).toMatchObject({ code: 'BAD_GATEWAY' });
  }
  expect(gateway.stats().endpoints[0]).toMatchObject({ isEjected: true });
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(gateway.stats().endpoints[0]).toMatchObject({ isEjected: false });
});

it.each([
  [
    'disconnects while it waits',
    `GET ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n\r\n`,
  ],
  [
    'disconnects in its body',
    `POST ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\nContent-Length: 9\r\n\r\nabc`,
  ],
])('blames no endpoint for a caller that %s', async (_what, bytes) => {
  let reached = () => {};
  const { origin } = await startActing(() => reached());
  const { port, gateway } = await startGateway([toService([origin])], STILL);
  for (let time = 0; time < 5; time += 1) {
    const called = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(bytes);
    await called;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    await expect.poll(() => gateway.stats().endpoints[0]?.outstanding).toBe(0);
  }
  expect(gateway.stats().endpoints[0]).toMatchObject({ isEjected: false });
});

it('blames no endpoint for a body beyond the limit', async () => {
  const { origin } = await startGood();
  const { base, gateway } = await startGateway([toService([origin])], STILL, {
    requests: { streamBytes: 10 },
  });
  async function* pieces() {
    yield 'x'.repeat(6);
    yield 'x'.repeat(6);
  }
  for (let time = 0; time < 5; time += 1) {
    expect(await send(base, HELLO, { method: 'POST', body: pieces() })).toMatchObject({
      status: 413,
    });
  }
  expect(gateway.stats().endpoints[0]).toMatchObject({ isEjected: false });
});

it('waits no longer because concurrent calls fail together', async () => {
  let now = 0;
  const waiting: Socket[] = [];
  let isGood = false;
  const { origin } = await startActing((socket) => {
    if (isGood) socket.write(OK);
    else waiting.push(socket);
  });
  const good = await startGood();
  const service = toService([origin, good.origin]);
  const { base, gateway } = await startGateway([toService([origin], { name: 'bad' }), service], {
    now: () => now,
  });
  const calls = Array.from({ length: 20 }, () => send(base, '/v1/cloudrun/bad', POST));
  await expect.poll(() => waiting.length).toBe(20);
  for (const socket of waiting) socket.destroy();
  await Promise.all(calls);
  const isEjected = () => gateway.stats().endpoints.find((one) => one.origin === origin)?.isEjected;
  expect(isEjected()).toBe(true);
  isGood = true;
  now = 1000;
  for (let time = 0; time < 20; time += 1) await send(base, HELLO);
  expect(isEjected()).toBe(false);
});

it('blames no endpoint for idle connections that it closes, and sends no POST twice', async () => {
  const first: Socket[] = [];
  const seen = new Set<Socket>();
  let posts = 0;
  const { origin } = await startActing((socket, line) => {
    if (line.startsWith('POST')) posts += 1;
    if (seen.has(socket)) socket.resetAndDestroy();
    else if (first.push(socket) === 4) for (const one of first) one.write(OK);
    seen.add(socket);
  });
  const { base, gateway } = await startGateway([toService([origin])], STILL);
  await Promise.all(Array.from({ length: 4 }, () => send(base, HELLO)));
  expect(gateway.stats().endpoints[0]).toMatchObject({ idle: 4 });
  for (let time = 0; time < 4; time += 1) {
    expect(await send(base, HELLO, POST)).toMatchObject({ code: 'BAD_GATEWAY' });
  }
  expect(posts).toBe(4);
  expect(gateway.stats().endpoints[0]).toMatchObject({ idle: 0, isEjected: false });
});
