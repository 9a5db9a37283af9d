import { expect, test } from 'vitest';
import { SRV, setUpDns } from './support/set-up-dns.ts';

const NAME = SRV.name;

test('returns hosts and ports of SRV records', async () => {
  const { server, version } = await setUpDns(SRV);
  server.setSrv(NAME, [
    { port: 8081, target: 'b.web.test' },
    { port: 8080, target: 'A.web.test' },
  ]);
  server.setAddresses('a.web.test', ['10.0.0.1']);
  server.setAddresses('b.web.test', ['fd12::2']);
  const found = await version();
  expect(found.endpoints).toEqual([
    { origin: 'http://10.0.0.1:8080', servername: 'web.test' },
    { origin: 'http://[fd12::2]:8081', servername: 'web.test' },
  ]);
  expect(found.shares).toBeUndefined();
});

test('uses the targets of the lowest priority that have an address', async () => {
  const { server, clock, origins } = await setUpDns(SRV, { refreshSeconds: 5 });
  server.setSrv(NAME, [
    { priority: 20, port: 82, target: 'backup.test' },
    { priority: 10, port: 81, target: 'main.test' },
    { priority: 10, port: 83, target: 'gone.test' },
  ]);
  server.setAddresses('main.test', ['10.0.0.1'], 1);
  server.setAddresses('backup.test', ['10.0.0.2']);
  expect(await origins()).toEqual(['http://10.0.0.1:81']);
  expect(server.asked).not.toContain('A backup.test');

  server.remove('main.test');
  await clock.pass(1_000);
  expect(await origins()).toEqual(['http://10.0.0.2:82']);
  server.setAddresses('main.test', ['10.0.0.1'], 1);
  await clock.pass(5_000);
  expect(await origins()).toEqual(['http://10.0.0.1:81']);
});

test('returns the weights if they differ, divided among the addresses of a target', async () => {
  const { server, clock, version } = await setUpDns(SRV);
  server.setSrv(NAME, [
    { weight: 30, port: 80, target: 'a.test' },
    { weight: 10, port: 80, target: 'b.test' },
  ]);
  server.setAddresses('a.test', ['10.0.0.1', '10.0.0.2']);
  server.setAddresses('b.test', ['10.0.0.3']);
  const before = await version();
  const [first, second, third] = before.endpoints;
  expect([...(before.shares ?? [])]).toEqual([
    [first, 15],
    [second, 15],
    [third, 10],
  ]);

  server.setSrv(NAME, [
    { weight: 10, port: 80, target: 'a.test' },
    { weight: 10, port: 80, target: 'b.test' },
  ]);
  await clock.pass(5_000);
  const after = await version();
  expect(after.endpoints).toEqual(before.endpoints);
  expect([...(after.shares?.values() ?? [])]).toEqual([5, 5, 10]);
});

test('refreshes SRV records at its own interval, and addresses by their TTL', async () => {
  const { server, clock, origins } = await setUpDns(SRV, { refreshSeconds: 5 });
  server.setSrv(NAME, [{ port: 80, target: 'a.test' }]);
  server.setAddresses('a.test', ['10.0.0.1'], 12);
  await origins();
  await clock.pass(5_000);
  await clock.pass(5_000);
  expect(server.asked).toEqual([`SRV ${NAME}`, 'A a.test', `SRV ${NAME}`, `SRV ${NAME}`]);
  await clock.pass(2_000);
  expect(server.asked.slice(4)).toEqual(['A a.test']);
});

test('has no endpoints if the target is the root, or the port 0', async () => {
  const { server, version } = await setUpDns(SRV);
  server.setSrv(NAME, [
    { port: 80, target: '' },
    { port: 0, target: 'a.test' },
  ]);
  expect(await version()).toMatchObject({ hasResource: true, endpoints: [] });
  expect(server.asked).toEqual([`SRV ${NAME}`]);
});

test('keeps the last address of a target that fails, and updates those of others', async () => {
  const { server, clock, origins, errors } = await setUpDns(SRV, { refreshSeconds: 5 });
  server.setSrv(NAME, [
    { port: 80, target: 'a.test' },
    { port: 80, target: 'b.test' },
  ]);
  server.setAddresses('a.test', ['10.0.0.1'], 5);
  server.setAddresses('b.test', ['10.0.0.2'], 5);
  await origins();
  server.behave('servfail', 'a.test');
  server.setAddresses('b.test', ['10.0.0.3'], 5);
  await clock.pass(5_000);
  expect(await origins()).toEqual(['http://10.0.0.1', 'http://10.0.0.3']);
  expect(errors).toEqual(['DNS: queryA ESERVFAIL a.test']);
});

test('accepts 300 targets over TCP, up to the maximum', async () => {
  // 258 queries can take more than the default of 4 s on a busy machine.
  const { server, origins } = await setUpDns(SRV, { timeoutSeconds: 120 });
  const targets = Array.from({ length: 300 }, (_, i) => `pod-${i}.web.test`);
  server.setSrv(
    NAME,
    targets.map((target) => ({ port: 80, target })),
  );
  for (const [i, target] of targets.entries()) {
    server.setAddresses(target, [`10.0.${i >> 8}.${i & 255}`]);
  }
  expect(await origins()).toHaveLength(256);
  expect(server.asked.length).toBeLessThanOrEqual(2 + 256);
});
