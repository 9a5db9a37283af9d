import { expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../../../src/gateway/registry/create-registry.ts';
import type { ServiceSettings } from '../../../src/gateway/registry/service-registry.ts';
import { startDnsServer } from './support/dns-server.ts';
import { createManualClock, dev, SRV, WEB } from './support/set-up-dns.ts';

const hello = { endpoints: ['http://127.0.0.1:9000'] };
const web = { dns: WEB };

async function setUp(services: Readonly<Record<string, Partial<ServiceSettings>>>) {
  const server = await startDnsServer();
  server.setAddresses('web.test', ['10.0.0.1', '10.0.0.2']);
  const clock = createManualClock();
  const registry = createRegistry({ servers: [server.address], clock });
  const update = (next: typeof services) => registry.prepare(dev(next))();
  update(services);
  onTestFinished(async () => {
    await registry.close();
    await server.stop();
  });
  return { server, clock, registry, update };
}

test('keeps DNS results across an update, without new queries', async () => {
  const { server, clock, registry, update } = await setUp({ hello, web });
  const before = await registry.find('dev', 'web');
  update({ web: { dns: WEB }, hello, new: { dns: SRV } });
  expect(registry.find('dev', 'web')).toEqual(before);
  expect(server.asked).toEqual(['A web.test']);
  expect(clock.timers.size).toBe(1);
});

test('keeps the endpoints of a service whose callers or state change', async () => {
  const { server, registry, update } = await setUp({ web });
  const before = await registry.find('dev', 'web');
  update({ web: { ...web, state: 'overdue' } });
  expect(registry.find('dev', 'web')).toMatchObject({ state: 'overdue' });
  update({ web: { ...web, callers: ['ann'] } });
  const after = await registry.find('dev', 'web');
  expect(after?.callers).toEqual(new Set(['ann']));
  expect(after?.versions).toEqual(before?.versions);
  expect(server.asked).toEqual(['A web.test']);
});

test('queries once for two services with the same name', async () => {
  const { server, registry } = await setUp({ web, other: { dns: { ...WEB, port: 81 } } });
  await Promise.all([registry.find('dev', 'web'), registry.find('dev', 'other')]);
  expect(server.asked).toEqual(['A web.test']);
});

test('stops querying for a removed service, and serves the call that waits for it', async () => {
  const { server, clock, registry, update } = await setUp({ web });
  server.behave('hold');
  const held = server.nextHeld();
  const waiting = registry.find('dev', 'web');
  await held;
  update({ hello });
  expect(registry.find('dev', 'web')).toBeUndefined();
  server.behave('answer');
  expect(await waiting).toMatchObject({ versions: [{ endpoints: [{}, {}] }] });
  expect(clock.timers.size).toBe(0);
});

test('converts a service from one kind to the other', async () => {
  const { registry, update } = await setUp({ web });
  await registry.find('dev', 'web');
  update({ web: hello });
  expect(registry.find('dev', 'web')).toMatchObject({ versions: [{ name: 'v1' }] });
  update({ web });
  expect(await registry.find('dev', 'web')).toMatchObject({ versions: [{ name: 'default' }] });
});

test('normalises endpoints, and removes duplicates', async () => {
  const endpoints = ['http://Example:80/', 'http://example', 'https://[::1]:443'];
  const { registry } = await setUp({ hello: { endpoints } });
  expect(registry.find('dev', 'hello')).toMatchObject({
    versions: [{ endpoints: [{ origin: 'http://example' }, { origin: 'https://[::1]' }] }],
  });
});

test('rebuilds only services whose configuration is another object', async () => {
  const { registry } = await setUp({ hello, other: hello });
  const before = registry.find('dev', 'hello');
  const replace = registry.prepare(dev({ hello, other: { ...hello } }));
  const beforeOther = registry.find('dev', 'other');
  replace();
  expect(registry.find('dev', 'hello')).toBe(before);
  expect(registry.find('dev', 'other')).not.toBe(beforeOther);
  expect(registry.find('dev', 'other')).toEqual(beforeOther);
});

test('applies an update completely or not at all', async () => {
  const { registry, update } = await setUp({ hello });
  const before = registry.find('dev', 'hello');
  const noOrigin = { endpoints: ['http://a/path'] };
  expect(() => update({ added: hello, noOrigin })).toThrow('is not an endpoint');
  expect(registry.find('dev', 'added')).toBeUndefined();
  expect(registry.find('dev', 'hello')).toBe(before);
});
