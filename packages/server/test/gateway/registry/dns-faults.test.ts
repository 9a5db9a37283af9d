import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { RegistryUnavailableError } from '../../../src/gateway/registry/service-registry.ts';
import { SRV, setUpDns, WEB } from './support/set-up-dns.ts';

const ADDRESS = ['10.0.0.1'];
const ORIGIN = ['http://10.0.0.1'];

test('uses the last response while the server is down, for a limited time, and recovers', async () => {
  const { server, clock, errors, origins } = await setUpDns(WEB, {
    refreshSeconds: 5,
    staleSeconds: 12,
    timeoutSeconds: 1,
  });
  server.setAddresses('web.test', ADDRESS, 10);
  await origins();
  await server.stop();

  await clock.pass(10_000);
  expect(await origins()).toEqual(ORIGIN);
  await clock.pass(5_000);
  await clock.pass(5_000);
  expect(await origins()).toEqual(ORIGIN);
  await clock.pass(5_000);
  await expect(origins()).rejects.toThrow(RegistryUnavailableError);
  expect(errors).toHaveLength(1);

  await server.start();
  await clock.pass(5_000);
  expect(await origins()).toEqual(ORIGIN);
});

test.each(['servfail', 'garbage', 'silent'] as const)(
  'uses the last response after: %s',
  async (fault) => {
    const { server, clock, origins } = await setUpDns(SRV, {
      refreshSeconds: 5,
      staleSeconds: 10,
      timeoutSeconds: 1,
    });
    server.setSrv(SRV.name, [{ port: 80, target: 'a.test' }]);
    server.setAddresses('a.test', ADDRESS, 5);
    await origins();
    server.behave(fault);
    await clock.pass(5_000);
    expect(await origins()).toEqual(ORIGIN);
    await clock.pass(5_000);
    expect(await origins()).toEqual(ORIGIN);
    await clock.pass(5_000);
    await expect(origins()).rejects.toThrow(RegistryUnavailableError);
    server.behave('answer');
    await clock.pass(5_000);
    expect(await origins()).toEqual(ORIGIN);
  },
);

test('fails immediately after a failure, and queries again later', async () => {
  const { server, clock, registry, origins } = await setUpDns(WEB, { refreshSeconds: 5 });
  server.behave('servfail');
  const first = await Promise.allSettled(Array.from({ length: 50 }, origins));
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set(['rejected']));
  const asked = server.asked.length;
  expect(() => registry.find('dev', 'web')).toThrow(RegistryUnavailableError);
  clock.turn(4_999);
  expect(server.asked).toHaveLength(asked);

  server.behave('answer');
  server.setAddresses('web.test', ADDRESS);
  await clock.pass(1);
  expect(await origins()).toEqual(ORIGIN);
});

test('respects the timeout with a silent server', async () => {
  const { server, origins } = await setUpDns(WEB, { timeoutSeconds: 1 });
  server.behave('silent');
  const start = performance.now();
  await expect(origins()).rejects.toThrow(RegistryUnavailableError);
  expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  expect(server.asked.length).toBeGreaterThan(1);
});

test('queries the next server if one is silent', async () => {
  const { server: silent } = await setUpDns(WEB);
  silent.behave('silent');
  const { server } = await setUpDns(WEB);
  server.setAddresses('web.test', ADDRESS);
  const { origins } = await setUpDns(WEB, { servers: [silent.address, server.address] });
  expect(await origins()).toEqual(ORIGIN);
  expect(silent.asked).toEqual(['A web.test']);
});

test('accepts a late response', async () => {
  const { server, origins } = await setUpDns(WEB, { timeoutSeconds: 30 });
  server.setAddresses('web.test', ADDRESS);
  server.behave('hold');
  const held = server.nextHeld();
  const found = origins();
  await held;
  server.behave('answer');
  expect(await found).toEqual(ORIGIN);
});

test('aborts pending queries when it is closed, and leaves no timer', async () => {
  const { server, clock, registry, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', ADDRESS);
  await origins();
  expect(clock.timers.size).toBe(1);
  server.behave('hold');
  const held = server.nextHeld();
  clock.turn(30_000);
  await held;
  await registry.close();
  expect(clock.timers.size).toBe(0);
  expect(registry.find('dev', 'web')).toBeUndefined();
});

test('refuses a waiting call when it is closed', async () => {
  const { server, registry, origins } = await setUpDns(WEB);
  server.behave('hold');
  const held = server.nextHeld();
  const found = origins();
  await held;
  await Promise.all([expect(found).rejects.toThrow(RegistryUnavailableError), registry.close()]);
});

test('does not keep the process alive', async () => {
  const { server } = await setUpDns(WEB);
  server.setAddresses('web.test', ADDRESS);
  const registry = new URL('../../../src/gateway/registry/create-registry.ts', import.meta.url);
  const program = `
    import { createRegistry } from '${registry}';
    const dns = { type: 'A', name: 'web.test', port: 80, scheme: 'http' };
    const registry = createRegistry({ servers: ['${server.address}'] });
    registry.prepare({ dev: { services: { web: { dns } } } })();
    process.stdout.write((await registry.find('dev', 'web')).versions[0].endpoints[0].origin);`;
  const flags = ['--conditions=berth-source', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 300_000 });
  expect([stdout]).toEqual(ORIGIN);
});
