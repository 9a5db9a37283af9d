import { expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../../../src/gateway/registry/create-registry.ts';
import type { ServiceConfig } from '../../../src/gateway/registry/service-registry.ts';
import { startDnsServer } from './support/dns-server.ts';
import { createManualClock, SRV, serviceOf, WEB } from './support/set-up-dns.ts';

const HELLO: ServiceConfig = {
  env: 'dev',
  name: 'hello',
  versions: [{ name: 'v1', endpoints: ['http://127.0.0.1:9000'] }],
};

async function setUp(services: readonly ServiceConfig[]) {
  const server = await startDnsServer();
  server.setAddresses('web.test', ['10.0.0.1', '10.0.0.2']);
  const clock = createManualClock();
  const registry = createRegistry(services, { servers: [server.address], clock });
  onTestFinished(async () => {
    await registry.close();
    await server.stop();
  });
  return { server, clock, registry };
}

test('finds services of both kinds', async () => {
  const { registry } = await setUp([HELLO, serviceOf(WEB)]);
  expect(registry.find('dev', 'hello')).toMatchObject({ name: 'hello' });
  expect(await registry.find('dev', 'web')).toMatchObject({ versions: [{ endpoints: [{}, {}] }] });
  expect(registry.find('dev', 'other')).toBeUndefined();
});

test('keeps DNS results across an update, without new queries', async () => {
  const { server, clock, registry } = await setUp([HELLO, serviceOf(WEB)]);
  const web = await registry.find('dev', 'web');
  registry.update([serviceOf(WEB), HELLO, serviceOf(SRV, { name: 'new' })]);
  expect(registry.find('dev', 'web')).toEqual(web);
  expect(server.asked).toEqual(['A web.test']);
  expect(clock.timers.size).toBe(1);
});

test('keeps the endpoints of a service whose callers or state change', async () => {
  const { server, registry } = await setUp([serviceOf(WEB)]);
  const before = await registry.find('dev', 'web');
  registry.update([serviceOf(WEB, { state: 'overdue' })]);
  expect(registry.find('dev', 'web')).toMatchObject({ state: 'overdue' });
  registry.update([serviceOf(WEB, { callers: ['ann'] })]);
  const after = await registry.find('dev', 'web');
  expect(after?.callers).toEqual(new Set(['ann']));
  expect(after?.versions).toEqual(before?.versions);
  expect(server.asked).toEqual(['A web.test']);
});

test('queries once for two services with the same name', async () => {
  const other = serviceOf({ ...WEB, port: 81 }, { env: 'prod' });
  const { server, registry } = await setUp([serviceOf(WEB), other]);
  await Promise.all([registry.find('dev', 'web'), registry.find('prod', 'web')]);
  expect(server.asked).toEqual(['A web.test']);
});

test('stops querying for a removed service, and serves the call that waits for it', async () => {
  const { server, clock, registry } = await setUp([serviceOf(WEB)]);
  server.behave('hold');
  const held = server.nextHeld();
  const waiting = registry.find('dev', 'web');
  await held;
  registry.update([HELLO]);
  expect(registry.find('dev', 'web')).toBeUndefined();
  server.behave('answer');
  expect(await waiting).toMatchObject({ versions: [{ endpoints: [{}, {}] }] });
  expect(clock.timers.size).toBe(0);
});

test('converts a service from one kind to the other', async () => {
  const { registry } = await setUp([serviceOf(WEB)]);
  await registry.find('dev', 'web');
  registry.update([{ ...HELLO, name: 'web' }]);
  expect(registry.find('dev', 'web')).toMatchObject({ versions: [{ name: 'v1' }] });
  registry.update([serviceOf(WEB)]);
  expect(await registry.find('dev', 'web')).toMatchObject({ versions: [{ name: 'default' }] });
});

test('normalises endpoints, and removes duplicates', async () => {
  const endpoints = ['http://Example:80/', 'http://example', 'https://[::1]:443'];
  const { registry } = await setUp([{ ...HELLO, versions: [{ name: 'v1', endpoints }] }]);
  expect(registry.find('dev', 'hello')).toMatchObject({
    versions: [{ endpoints: [{ origin: 'http://example' }, { origin: 'https://[::1]' }] }],
  });
});

test('rebuilds only services whose configuration is another object', async () => {
  const other = { ...HELLO, name: 'other' };
  const { registry } = await setUp([HELLO, other]);
  const before = registry.find('dev', 'hello');
  const replace = registry.prepare([HELLO, { ...other }]);
  const beforeOther = registry.find('dev', 'other');
  replace();
  expect(registry.find('dev', 'hello')).toBe(before);
  expect(registry.find('dev', 'other')).not.toBe(beforeOther);
  expect(registry.find('dev', 'other')).toEqual(beforeOther);
});

test('applies an update completely or not at all', async () => {
  const { registry } = await setUp([HELLO]);
  const before = registry.find('dev', 'hello');
  const added = { ...HELLO, name: 'added' };
  const noPort = serviceOf({ type: 'A', name: 'web.test' });
  expect(() => registry.update([added, noPort])).toThrow('needs a port');
  const noOrigin = { ...added, versions: [{ name: 'v1', endpoints: ['http://a/path'] }] };
  expect(() => registry.update([added, noOrigin])).toThrow('is not an endpoint');
  expect(registry.find('dev', 'added')).toBeUndefined();
  expect(registry.find('dev', 'hello')).toBe(before);
});
