import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { chooseVersion } from '../../src/gateway/services.ts';
import {
  begin,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const POST = { method: 'POST', body: 'x' };

const deadOrigin = async () => `http://127.0.0.1:${await freePort()}`;

const startNamed = (name: string) => startService((_request, response) => response.end(name));

/** A service that does this with each request, by its first line. */
function startActing(act: (socket: Socket, line: string) => void) {
  return startRawService((socket) => {
    socket.on('data', (chunk) => {
      const line = chunk.toString('latin1').split('\r\n', 1)[0] as string;
      if (/^[A-Z]+ \//.test(line)) act(socket, line);
    });
  });
}

it('distributes calls to versions by weight', () => {
  const versions = [
    { name: 'a', weight: 1, hasResource: true, endpoints: ['http://a'] },
    { name: 'none', weight: 0, hasResource: true, endpoints: ['http://n'] },
    { name: 'b', weight: 3, hasResource: true, endpoints: ['http://b'] },
  ];
  const service = toService([], { versions });
  const names = [0, 0.249, 0.25, 0.999].map((share) => chooseVersion(service, () => share).name);
  expect(names).toEqual(['a', 'a', 'b', 'b']);
});

it('calls the endpoints in turn', async () => {
  const all = await Promise.all(['a', 'b', 'c'].map(startNamed));
  const { base } = await startGateway([toService(all.map(({ origin }) => origin))]);
  const texts: string[] = [];
  for (let time = 0; time < 6; time += 1) texts.push((await send(base, HELLO)).text);
  expect(texts).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

it('tries the next endpoints if a connection fails, with the body untouched', async () => {
  const dead = [await deadOrigin(), await deadOrigin()];
  const { origin } = await startService((request, response) => request.pipe(response));
  const { base, gateway } = await startGateway([toService([...dead, origin])]);
  for (let time = 0; time < 6; time += 1) {
    const body = `body ${time}`.repeat(1000);
    expect(await send(base, HELLO, { method: 'POST', body })).toMatchObject({ text: body });
  }
  const counts = gateway.stats().endpoints.map(({ outstanding }) => outstanding);
  expect(counts).toEqual([0, 0, 0]);
});

it('retries a GET without a response at another endpoint, and no POST', async () => {
  const bad = await startActing((socket) => socket.end());
  const good = await startNamed('good');
  const { base } = await startGateway([toService([bad.origin, good.origin])]);
  expect(await send(base, HELLO)).toMatchObject({ text: 'good' });
  expect(await send(base, HELLO)).toMatchObject({ text: 'good' });
  expect(await send(base, HELLO, POST)).toMatchObject({ code: 'BAD_GATEWAY' });
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

it('retries a GET on a connection that the service closes, and sends no POST twice', async () => {
  const seen: string[] = [];
  const { origin } = await startRawService((socket) => {
    let calls = 0;
    socket.on('data', (chunk) => {
      calls += 1;
      seen.push(String(chunk).slice(0, 4));
      if (calls > 1) socket.resetAndDestroy();
      else socket.write(OK);
    });
  });
  const { base, gateway } = await startGateway([toService([origin])]);
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(seen).toEqual(['GET ', 'GET ', 'GET ']);
  expect(await send(base, HELLO, POST)).toMatchObject({ code: 'BAD_GATEWAY' });
  expect(seen.slice(3)).toEqual(['POST']);
  expect(gateway.stats().endpoints[0]).toMatchObject({ outstanding: 0, idle: 0 });
});

it('limits the concurrent calls of a service', async () => {
  const { origin } = await startService((_request, response) => void response.write('begun'));
  const { base, gateway } = await startGateway([toService([origin], { maxCalls: 2 })]);
  const first = await begin(base, HELLO);
  const second = await begin(base, HELLO);
  expect(await send(base, HELLO)).toMatchObject({
    code: 'EXCEED_RATELIMIT',
    status: 429,
    headers: { 'retry-after': '1' },
  });
  first.on('error', () => {}).destroy();
  await expect.poll(() => gateway.stats().endpoints[0]?.outstanding).toBe(1);
  (await begin(base, HELLO)).on('error', () => {}).destroy();
  second.on('error', () => {}).destroy();
});

it('drops idle connections that the service has closed', async () => {
  const { origin, server } = await startService((_request, response) => response.end('ok'));
  server.keepAliveTimeout = 300_000;
  const { base, gateway } = await startGateway([toService([origin])]);
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(gateway.stats().endpoints[0]).toMatchObject({ outstanding: 0, idle: 1 });
  server.closeAllConnections();
  await expect.poll(() => gateway.stats().endpoints[0]?.idle).toBe(0);
});
