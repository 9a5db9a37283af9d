import { expect, test } from 'vitest';
import {
  createRegistry,
  type RegistryOptions,
} from '../../../src/gateway/registry/create-registry.ts';
import { dev, SRV, setUpDns, WEB } from './support/set-up-dns.ts';

test('calls no metadata service, loopback or multicast address that DNS names', async () => {
  const { server, errors, origins } = await setUpDns(WEB);
  server.setAddresses('web.test', [
    '169.254.169.254',
    '127.0.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '10.0.0.1',
  ]);
  expect(await origins()).toEqual(['http://10.0.0.1']);
  expect(errors).toEqual([
    'DNS: web.test has addresses that are not allowed: 0.0.0.0, 127.0.0.1, 169.254.169.254',
  ]);
});

test.each(['::ffff:a9fe:a9fe', 'fe80::1', '::1', 'fd00:ec2::254'])(
  'calls no %s',
  async (address) => {
    const { server, version } = await setUpDns(WEB);
    server.setAddresses('web.test', [address]);
    expect(await version()).toMatchObject({ hasResource: true, endpoints: [] });
  },
);

test('only calls the allowed ranges', async () => {
  const { server, origins } = await setUpDns(WEB, { allow: ['127.0.0.0/8', '10.1.0.0/16'] });
  server.setAddresses('web.test', ['127.0.0.1', '10.1.2.3', '10.2.0.1', '93.184.216.34']);
  expect(await origins()).toEqual(['http://10.1.2.3', 'http://127.0.0.1']);
});

test('checks the addresses of SRV targets too', async () => {
  const { server, version } = await setUpDns(SRV);
  server.setSrv(SRV.name, [{ port: 80, target: 'a.test' }]);
  server.setAddresses('a.test', ['169.254.169.254']);
  expect((await version()).endpoints).toEqual([]);
});

test('refuses settings that could never work', () => {
  const registryOf = (options: RegistryOptions) => () => createRegistry(options);
  expect(registryOf({ servers: ['dns.test'] })).toThrow(TypeError);
  expect(registryOf({ allow: ['pods'] })).toThrow(TypeError);
});

test('never resolves a name from a call', async () => {
  const { server, registry, origins } = await setUpDns(WEB);
  for (const name of ['evil.test', 'web.test', '__proto__', 'constructor', '']) {
    expect(registry.find('dev', name)).toBeUndefined();
    expect(registry.find(name, 'web')).toBeUndefined();
  }
  server.setAddresses('web.test', ['10.0.0.1']);
  await origins();
  expect(server.asked).toEqual(['A web.test']);
});

test('does not resolve a service that is not called', async () => {
  const { server, registry } = await setUpDns(WEB);
  registry.prepare(dev({ web: { dns: WEB, state: 'overdue' } }))();
  expect(registry.find('dev', 'web')).toMatchObject({ state: 'overdue', versions: [] });
  expect(server.asked).toEqual([]);
});
