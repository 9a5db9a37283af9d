import { once } from 'node:events';
import { expect, it } from 'vitest';
import { chooseVersion } from '../../src/gateway/find-service.ts';
import {
  begin,
  deadOrigin,
  send,
  startGateway,
  startRawService,
  startService,
  toService,
} from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

const startNamed = (name: string) => startService((_request, response) => response.end(name));

it('distributes calls to versions by weight', () => {
  const versions = [
    { name: 'a', weight: 1, hasResource: true, endpoints: [{ origin: 'http://a' }] },
    { name: 'none', weight: 0, hasResource: true, endpoints: [{ origin: 'http://n' }] },
    { name: 'b', weight: 3, hasResource: true, endpoints: [{ origin: 'http://b' }] },
  ];
  const service = toService([], { versions });
  const names = [0, 0.249, 0.25, 0.999].map((share) => chooseVersion(service, () => share).name);
  expect(names).toEqual(['a', 'a', 'b', 'b']);
});

it('calls the endpoint with the fewest calls in flight', async () => {
  const busy = await startService((request, response) => {
    if (request.url === '/hold') response.write('held');
    else response.end('busy');
  });
  const other = await startNamed('other');
  const service = toService([busy.origin, other.origin]);
  const { base } = await startGateway([service]);
  let held = false;
  while (!held) {
    const response = await begin(base, `${HELLO}/hold`);
    const [chunk] = await once(response, 'data');
    held = String(chunk) === 'held';
    if (!held) response.resume();
  }
  for (let time = 0; time < 10; time += 1) {
    expect(await send(base, HELLO)).toMatchObject({ text: 'other' });
  }
});

it('tries another endpoint once if a connection fails, with the body untouched', async () => {
  const dead = await deadOrigin();
  const { origin } = await startService((request, response) => request.pipe(response));
  const { base, gateway } = await startGateway([toService([dead, origin])]);
  for (let time = 0; time < 20; time += 1) {
    const body = `body ${time}`.repeat(1000);
    expect(await send(base, HELLO, { method: 'POST', body })).toMatchObject({ text: body });
  }
  const out = gateway.stats().endpoints.find((endpoint) => endpoint.origin === dead);
  expect(out).toMatchObject({ isEjected: true, outstanding: 0 });
});

/** Serves on an address that had no listener. */
async function revive(dead: string) {
  const { server } = await startService((_request, response) => response.end('back'));
  server.close();
  await once(server.listen(Number(new URL(dead).port), '127.0.0.1'), 'listening');
}

it('uses an endpoint again after a successful trial, and waits longer after a failed one', async () => {
  let now = 0;
  const dead = await deadOrigin();
  const { origin } = await startNamed('other');
  const service = toService([dead, origin]);
  const { base, gateway } = await startGateway([service], { now: () => now });
  const call = async () => {
    const texts = new Set<string>();
    for (let time = 0; time < 40; time += 1) texts.add((await send(base, HELLO)).text);
    return [...texts].sort();
  };
  expect(await call()).toEqual(['other']);
  expect(gateway.stats().endpoints[0]?.isEjected).toBe(true);
  now = 1000;
  expect(await call()).toEqual(['other']);
  await revive(dead);
  now = 2999;
  expect(await call()).toEqual(['other']);
  now = 3000;
  expect(await call()).toEqual(['back', 'other']);
  expect(gateway.stats().endpoints[0]?.isEjected).toBe(false);
});

it('tries the last endpoint again after a tenth of a second', async () => {
  let now = 0;
  const dead = await deadOrigin();
  const { base, gateway } = await startGateway([toService([dead])], { now: () => now });
  await send(base, HELLO);
  await send(base, HELLO);
  expect(gateway.stats().endpoints[0]?.isEjected).toBe(true);
  await revive(dead);
  now = 99;
  expect(await send(base, HELLO)).toMatchObject({ code: 'SERVICE_LB_STATUS_ABNORMAL' });
  now = 100;
  expect(await send(base, HELLO)).toMatchObject({ text: 'back' });
});

/** A service that closes each connection at the second call, as if it had been idle for too long. */
function startStale() {
  const seen: string[] = [];
  return startRawService((socket) => {
    let calls = 0;
    socket.on('data', (chunk) => {
      calls += 1;
      seen.push(String(chunk).slice(0, 4));
      if (calls > 1) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  }).then((service) => ({ ...service, seen }));
}

it('retries a GET on a stale connection', async () => {
  const { origin, seen } = await startStale();
  const { base } = await startGateway([toService([origin])]);
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
  expect(seen).toEqual(['GET ', 'GET ', 'GET ']);
});
