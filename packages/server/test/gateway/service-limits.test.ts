import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import {
  BEARER,
  begin,
  deadOrigin,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

/** A service that holds each call until it is released, in order. */
async function startHolding() {
  const held: { url: string | undefined; release: () => void }[] = [];
  const { origin } = await startService((request, response) => {
    held.push({ url: request.url, release: () => response.end('ok') });
  });
  return { origin, held };
}

it('queues calls while every endpoint has its maximum, in order', async () => {
  const services = [await startHolding(), await startHolding()];
  const perEndpoint = { maxCalls: 2, maxQueue: 3, queueSeconds: 3600 };
  const { base, gateway } = await startGateway([
    toService(
      services.map(({ origin }) => origin),
      { perEndpoint },
    ),
  ]);
  const held = () => services.flatMap((service) => service.held);
  const first = Array.from({ length: 4 }, () => send(base, HELLO));
  await expect.poll(() => held().length).toBe(4);
  const socketOf = (path: string) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {});
    socket.write(`GET ${HELLO}${path} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n\r\n`);
    return socket;
  };
  const queued: Socket[] = [];
  for (const path of ['/left', '/second', '/third']) {
    queued.push(socketOf(path));
    await expect.poll(() => gateway.stats().waiting).toBe(queued.length);
  }
  expect(await send(base, HELLO)).toMatchObject({ code: 'EXCEED_RATELIMIT', status: 429 });
  queued[0]?.destroy();
  await expect.poll(() => gateway.stats().waiting).toBe(2);
  held()[0]?.release();
  await expect.poll(() => held().map(({ url }) => url)).toContain('/second');
  expect(held()).toHaveLength(5);
  for (const { release } of held()) release();
  await expect.poll(() => held().map(({ url }) => url)).toContain('/third');
  expect(held()).toHaveLength(6);
  for (const { release } of held()) release();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await expect
    .poll(() => gateway.stats().endpoints.map((each) => each.outstanding))
    .toEqual([0, 0]);
  for (const socket of queued) socket.destroy();
});

it('queues a call rather than send it to an ejected endpoint', async () => {
  const bad = await startService((_request, response) => response.writeHead(500).end('bad'));
  const { origin, held } = await startHolding();
  const perEndpoint = { maxCalls: 1, maxQueue: 1, queueSeconds: 3600 };
  const { base, gateway } = await startGateway(
    [toService([bad.origin], { name: 'bad' }), toService([bad.origin, origin], { perEndpoint })],
    { now: () => 0 },
  );
  for (let time = 0; time < 5; time += 1) await send(base, '/v1/cloudrun/bad');
  const calls = [send(base, HELLO), send(base, HELLO)];
  await expect.poll(() => gateway.stats().waiting).toBe(1);
  held[0]?.release();
  await expect.poll(() => held.length).toBe(2);
  held[1]?.release();
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(['ok', 'ok']);
});

it('fails a call that waits in the queue for too long', async () => {
  const { origin, held } = await startHolding();
  const perEndpoint = { maxCalls: 1, maxQueue: 1, queueSeconds: 0.05 };
  const { base } = await startGateway([toService([origin], { perEndpoint })]);
  const first = send(base, HELLO);
  await expect.poll(() => held.length).toBe(1);
  const refused = await send(base, HELLO, { method: 'POST', body: 'x' });
  expect(refused).toMatchObject({ code: 'EXCEED_RATELIMIT', headers: { 'retry-after': '1' } });
  held[0]?.release();
  expect(await first).toMatchObject({ text: 'ok' });
  const next = send(base, HELLO);
  await expect.poll(() => held.length).toBe(2);
  held[1]?.release();
  expect(await next).toMatchObject({ text: 'ok' });
});

it('times out by service: head, and pause in a response', async () => {
  const { origin } = await startService((request, response) => {
    if (request.url === '/stream') response.write('begun');
  });
  const timeouts = { connectSeconds: 5, headersSeconds: 0.05, idleSeconds: 0.05 };
  const { base } = await startGateway([
    toService([origin], { timeouts }),
    toService([origin], { name: 'patient', timeouts: { ...timeouts, idleSeconds: 0 } }),
  ]);
  expect(await send(base, HELLO)).toMatchObject({ code: 'SERVICE_TIMEOUT', status: 504 });
  const patient = await begin(base, '/v1/cloudrun/patient/stream');
  const response = await begin(base, `${HELLO}/stream`);
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  response.resume().on('error', () => {});
  await closed;
  expect(response.complete).toBe(false);
  expect(patient.on('error', () => {}).resume().destroyed).toBe(false);
  patient.destroy();
});

it('times out by service: connection', async () => {
  // The TLS handshake never ends.
  const { origin } = await startRawService(() => {});
  const timeouts = { connectSeconds: 0.05, idleSeconds: 0 };
  const silent = origin.replace('http', 'https');
  const { base } = await startGateway([toService([silent], { timeouts })]);
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY' });
});

const START = { startSeconds: 3600 };

it('waits for a service that refuses connections, and sends a body once', async () => {
  const dead = await deadOrigin();
  const { base, gateway } = await startGateway([toService([dead], START)]);
  const body = 'b'.repeat(300_000);
  const calls = Array.from({ length: 5 }, () => send(base, HELLO, { method: 'POST', body }));
  await expect.poll(() => gateway.stats().endpoints[0]?.isEjected).toBe(true);
  const bodies: number[] = [];
  const { server } = await startService(async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += chunk.length;
    response.end(String(bodies.push(size)));
  });
  server.close();
  await once(server.listen(Number(new URL(dead).port), '127.0.0.1'), 'listening');
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(bodies).toEqual(Array(5).fill(body.length));
});

it('waits for a service that is not ready, or has no endpoints', async () => {
  const { origin } = await startService((_request, response) => response.end('ok'));
  let service = toService([origin], { ...START, state: 'not-ready' });
  const finds: number[] = [];
  const registry = {
    find: () => {
      finds.push(1);
      return service;
    },
    close: async () => {},
  };
  const { base } = await startGateway(registry);
  const call = send(base, HELLO);
  await expect.poll(() => finds.length).toBeGreaterThan(2);
  service = toService([], START);
  const before = finds.length;
  await expect.poll(() => finds.length).toBeGreaterThan(before + 1);
  service = toService([origin], START);
  expect(await call).toMatchObject({ text: 'ok' });
});

it('fails with SERVICE_NOT_READY after the time to start, and lets few calls wait', async () => {
  const dead = await deadOrigin();
  const { base, gateway } = await startGateway([
    toService([dead], { startSeconds: 0.15 }),
    toService([dead], { ...START, name: 'one', maxCalls: 1, state: 'not-ready' }),
    toService([dead], { ...START, name: 'other', callers: new Set(['nobody']) }),
  ]);
  const late = await send(base, HELLO);
  expect(late).toMatchObject({ code: 'SERVICE_NOT_READY', headers: { 'retry-after': '1' } });
  expect(await send(base, '/v1/cloudrun/other')).toMatchObject({ code: 'SERVICE_FORBIDDEN' });
  const both = [send(base, '/v1/cloudrun/one'), send(base, '/v1/cloudrun/one')];
  expect(await Promise.race(both)).toMatchObject({ code: 'EXCEED_RATELIMIT' });
  gateway.close();
});

it('does not repeat a call that has been sent', async () => {
  let calls = 0;
  const { origin } = await startRawService((socket) => {
    calls += 1;
    socket.once('data', () => socket.end());
  });
  const { base } = await startGateway([toService([origin], START)]);
  const reply = await send(base, HELLO, { method: 'POST', body: 'x' });
  expect(reply).toMatchObject({ code: 'BAD_GATEWAY' });
  expect(calls).toBe(1);
});
