import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Endpoint } from '../../src/gateway/registry/service-registry.ts';
import { makeCertificate, trust } from '../server/support/make-certificate.ts';
import { HANDSHAKE } from '../support/send-raw.ts';
import { BEARER, send, startGateway, startService, toService } from './support/start-gateway.ts';

const HELLO = '/v1/cloudrun/hello';

async function startSecure(name: string) {
  const { key, cert } = await makeCertificate(name);
  const pem = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(pem, (request, response) =>
    response.end(
      `${(request.socket as import('node:tls').TLSSocket).servername} ${request.headers.host}`,
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `https://127.0.0.1:${port}`, cert };
}

function withEndpoints(endpoints: readonly Endpoint[], shares?: ReadonlyMap<Endpoint, number>) {
  const version = { name: 'v1', weight: 1, hasResource: true, endpoints };
  return toService([], { versions: [shares ? { ...version, shares } : version] });
}

it('calls an address with the name of its certificate', async () => {
  const { origin, port, cert } = await startSecure('orders.test');
  await trust(cert);
  const { base } = await startGateway([withEndpoints([{ origin, servername: 'orders.test' }])]);
  expect(await send(base, HELLO)).toMatchObject({ text: `orders.test orders.test:${port}` });
});

it('sends nothing to a service whose certificate has another name', async () => {
  const { origin, cert } = await startSecure('orders.test');
  await trust(cert);
  for (const endpoint of [{ origin }, { origin, servername: 'other.test' }]) {
    const { base } = await startGateway([withEndpoints([endpoint])]);
    expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY' });
  }
});

it('sends nothing to a service with an untrusted certificate', async () => {
  const { origin } = await startSecure('orders.test');
  const { base } = await startGateway([withEndpoints([{ origin, servername: 'orders.test' }])]);
  expect(await send(base, HELLO)).toMatchObject({ code: 'BAD_GATEWAY' });
});

it('separates the same address with two names', async () => {
  const { origin, cert } = await startSecure('orders.test');
  await trust(cert);
  const right = withEndpoints([{ origin, servername: 'orders.test' }]);
  const wrong = { ...withEndpoints([{ origin, servername: 'other.test' }]), name: 'other' };
  const { base } = await startGateway([right, wrong]);
  expect(await send(base, HELLO)).toMatchObject({ status: 200 });
  expect(await send(base, '/v1/cloudrun/other')).toMatchObject({ code: 'BAD_GATEWAY' });
});

it('distributes calls by weight, sequential and concurrent, and skips weight 0', async () => {
  const counts = [0, 0, 0];
  let hold: Promise<void> | undefined;
  const origins = await Promise.all(
    counts.map(async (_zero, at) => {
      const { origin } = await startService(async (_request, response) => {
        counts[at] = (counts[at] as number) + 1;
        await hold;
        response.end('ok');
      });
      return { origin };
    }),
  );
  const [a, b, c] = origins as [Endpoint, Endpoint, Endpoint];
  const shares = new Map([
    [a, 30],
    [b, 10],
    [c, 0],
  ]);
  const { base } = await startGateway([withEndpoints(origins, shares)]);
  for (let time = 0; time < 400; time += 1) await send(base, HELLO);
  expect(counts[2]).toBe(0);
  // 300 expected, with a standard deviation of 8.7.
  expect(Math.abs((counts[0] as number) - 300)).toBeLessThan(50);
  counts.fill(0);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  hold = promise;
  const calls = Array.from({ length: 40 }, () => send(base, HELLO));
  await expect.poll(() => counts.reduce((sum, count) => sum + count)).toBe(40);
  release();
  await Promise.all(calls);
  expect(counts).toEqual([30, 10, 0]);
});

it('calls endpoints of weight 0 if no other can be called', async () => {
  const { origin } = await startService((_request, response) => response.end('ok'));
  const endpoint = { origin };
  const { base } = await startGateway([withEndpoints([endpoint], new Map([[endpoint, 0]]))]);
  expect(await send(base, HELLO)).toMatchObject({ text: 'ok' });
});

it('limits its idle connections, and drops those that the service has closed', async () => {
  let hold: Promise<void> | undefined;
  let waiting = 0;
  const { origin, server } = await startService(async (_request, response) => {
    waiting += 1;
    await hold;
    response.end('ok');
  });
  // On a busy machine, the first connections must not be closed before the last call ends.
  server.keepAliveTimeout = 300_000;
  const { base, gateway } = await startGateway([toService([origin])]);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  hold = promise;
  const calls = Array.from({ length: 300 }, () => send(base, HELLO));
  await expect.poll(() => waiting).toBe(300);
  release();
  await Promise.all(calls);
  expect(gateway.stats().endpoints[0]).toMatchObject({ outstanding: 0, idle: 256 });
  server.closeAllConnections();
  await expect.poll(() => gateway.stats().endpoints[0]?.idle).toBe(0);
});

it('forgets endpoints that come and go, even ejected ones', async () => {
  let origin = '';
  const registry = {
    find: () => toService([origin]),
    close: async () => {},
  };
  let now = 0;
  const { base, gateway } = await startGateway(registry, { now: () => now });
  for (let port = 1; port <= 200; port += 1) {
    origin = `http://127.0.0.1:${port}`;
    now += 60_000;
    await send(base, HELLO);
    await send(base, HELLO);
  }
  expect(gateway.stats().endpoints.length).toBeLessThan(70);
});

it('keeps no connection of a WebSocket that a service has refused', async () => {
  let open = 0;
  const { origin, server } = await startService((_request, response) => response.end('no'));
  server.on('upgrade', (_request, socket) => {
    socket.resume().on('end', () => socket.end());
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => {
      open -= 1;
    });
  });
  const { port, gateway } = await startGateway([toService([origin])]);
  for (let time = 0; time < 20; time += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET ${HELLO} HTTP/1.1\r\nHost: dev\r\nAuthorization: ${BEARER}\r\n${HANDSHAKE}\r\n`,
    );
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 403 /);
    await once(socket.resume(), 'close');
  }
  expect(gateway.stats().endpoints[0]).toMatchObject({ outstanding: 0, idle: 0 });
  await expect.poll(() => open).toBe(0);
});
