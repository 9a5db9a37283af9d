import { expect, test } from 'vitest';
import { send, startGateway, startService } from '../support/start-gateway.ts';
import { setUpDns, WEB } from './support/set-up-dns.ts';

test('returns the addresses of a name with the configured port', async () => {
  const { server, find } = await setUpDns({ ...WEB, port: 8080 });
  server.setAddresses('web.test', ['10.0.0.2', '10.0.0.1']);
  expect(await find()).toEqual({
    env: 'dev',
    name: 'web',
    state: 'ready',
    callers: undefined,
    versions: [
      {
        name: 'default',
        weight: 100,
        hasResource: true,
        endpoints: [
          { origin: 'http://10.0.0.1:8080', servername: 'web.test' },
          { origin: 'http://10.0.0.2:8080', servername: 'web.test' },
        ],
      },
    ],
  });
});

test('uses IPv6 addresses if there are no IPv4 ones', async () => {
  const { server, clock, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', ['fd12::1', 'fd12::2']);
  expect(await origins()).toEqual(['http://[fd12::1]', 'http://[fd12::2]']);
  server.setAddresses('web.test', ['fd12::1', '10.0.0.1']);
  await clock.pass(30_000);
  expect(await origins()).toEqual(['http://10.0.0.1']);
});

test('calls a service by its name, not by its address', async () => {
  const { origin } = await startService((request, response) => response.end(request.headers.host));
  const port = Number(new URL(origin).port);
  for (const name of ['web.test', 'Web.test.']) {
    const { server, registry } = await setUpDns({ ...WEB, name, port }, { allow: ['127.0.0.1'] });
    server.setAddresses('web.test', ['127.0.0.1']);
    const { base } = await startGateway(registry);
    expect(await send(base, '/v1/cloudrun/web')).toMatchObject({ text: `web.test:${port}` });
  }
});

test('returns the host name for the certificate', async () => {
  const { server, version } = await setUpDns({ ...WEB, scheme: 'https', port: 8443 });
  server.setAddresses('web.test', ['10.0.0.1']);
  expect((await version()).endpoints).toEqual([
    { origin: 'https://10.0.0.1:8443', servername: 'web.test' },
  ]);
});

test('returns the same service if only the order of the records changes', async () => {
  const { server, clock, find } = await setUpDns(WEB);
  server.setAddresses('web.test', ['10.0.0.1', '10.0.0.2']);
  const before = await find();
  server.setAddresses('web.test', ['10.0.0.2', '10.0.0.1'], 20);
  await clock.pass(30_000);
  expect(await find()).toBe(before);

  server.setAddresses('web.test', ['10.0.0.3', '10.0.0.2']);
  await clock.pass(20_000);
  const after = await find();
  expect(after).not.toBe(before);
  expect(after.versions[0]?.endpoints.map(({ origin }) => origin)).toEqual([
    'http://10.0.0.2',
    'http://10.0.0.3',
  ]);
});

test('refreshes when the TTL expires, without blocking calls', async () => {
  const { server, clock, registry, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', ['10.0.0.1'], 7);
  await origins();
  clock.turn(6_999);
  expect(clock.timers.size).toBe(1);
  expect(server.asked).toEqual(['A web.test']);

  server.behave('hold');
  server.setAddresses('web.test', ['10.0.0.9'], 7);
  const held = server.nextHeld();
  clock.turn(1);
  await held;
  const stale = registry.find('dev', 'web');
  expect(stale).not.toBeInstanceOf(Promise);
  expect(await origins()).toEqual(['http://10.0.0.1']);

  const refreshed = clock.nextTimer();
  server.behave('answer');
  await refreshed;
  expect(await origins()).toEqual(['http://10.0.0.9']);
});

test.each([
  ['a TTL of 0 as one second', 0, 1_000],
  ['a TTL of a day as one minute', 86_400, 60_000],
])('takes %s', async (_, ttl, lasts) => {
  const { server, clock, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', ['10.0.0.1'], ttl);
  await origins();
  clock.turn(lasts - 1);
  expect(clock.timers.size).toBe(1);
  expect(server.asked).toHaveLength(1);
  await clock.pass(1);
  expect(server.asked).toHaveLength(2);
});

test('queries once however many calls wait', async () => {
  const { server, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', ['10.0.0.1']);
  server.behave('hold');
  const held = server.nextHeld();
  const calls = Array.from({ length: 200 }, origins);
  await held;
  server.behave('answer');
  expect(new Set((await Promise.all(calls)).flat())).toEqual(new Set(['http://10.0.0.1']));
  expect(server.asked.filter((name) => name === 'A web.test')).toHaveLength(2); // held, then sent
});

test('limits the endpoints of a response, always to the same ones', async () => {
  const { server, clock, find } = await setUpDns(WEB);
  const addresses = Array.from({ length: 300 }, (_, i) => `10.1.${i >> 8}.${i & 255}`);
  server.setAddresses('web.test', addresses);
  const before = await find();
  expect(before.versions[0]?.endpoints).toHaveLength(256);
  server.setAddresses('web.test', addresses.reverse());
  await clock.pass(30_000);
  expect(await find()).toBe(before);
});

test('reports no resource if the name does not exist, and no endpoint without records', async () => {
  const { server, clock, version } = await setUpDns(WEB, { refreshSeconds: 3 });
  expect(await version()).toMatchObject({ hasResource: false, endpoints: [] });
  server.setAddresses('web.test', []);
  await clock.pass(3_000);
  expect(await version()).toMatchObject({ hasResource: true, endpoints: [] });
  server.setAddresses('web.test', ['10.0.0.1']);
  await clock.pass(3_000);
  expect(await version()).toMatchObject({ endpoints: [{ origin: 'http://10.0.0.1' }] });
  server.remove('web.test');
  await clock.pass(30_000);
  expect(await version()).toMatchObject({ hasResource: false, endpoints: [] });
});

test('stops querying a name that nobody calls, and resumes later', async () => {
  const { server, clock, origins } = await setUpDns(WEB, { staleSeconds: 60 });
  server.setAddresses('web.test', ['10.0.0.1']);
  await origins();
  await clock.pass(30_000);
  await clock.pass(30_000);
  expect(server.asked).toHaveLength(3);
  clock.turn(30_000);
  expect(clock.timers.size).toBe(0);
  server.setAddresses('web.test', ['10.0.0.2']);
  expect(await origins()).toEqual(['http://10.0.0.2']);
  expect(clock.timers.size).toBe(1);
});
