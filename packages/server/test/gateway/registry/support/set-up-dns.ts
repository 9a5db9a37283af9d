import { onTestFinished } from 'vitest';
import {
  createDnsRegistry,
  type DnsRegistryOptions,
} from '../../../../src/gateway/registry/dns-registry.ts';

import type {
  DnsServiceConfig,
  DnsSource,
} from '../../../../src/gateway/registry/service-registry.ts';
import { startDnsServer } from './dns-server.ts';
import { createManualClock } from './manual-clock.ts';

export const WEB: DnsSource = { type: 'A', name: 'web.test', port: 80 };
export const SRV: DnsSource = { type: 'SRV', name: '_http._tcp.web.test' };

export const serviceOf = (dns: DnsSource, more: Partial<DnsServiceConfig> = {}) => ({
  env: 'dev',
  name: 'web',
  dns,
  ...more,
});

/** A registry of one service `web`, its DNS server and its clock. */
export async function setUpDns(dns: DnsSource, options: DnsRegistryOptions = {}) {
  const server = await startDnsServer();
  const clock = createManualClock();
  const errors: string[] = [];
  const registry = createDnsRegistry([serviceOf(dns)], {
    servers: [server.address],
    clock,
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  onTestFinished(async () => {
    await registry.close();
    await server.stop();
  });

  const find = async () => {
    const service = await registry.find('dev', 'web');
    if (service === undefined) throw new TypeError('no service');
    return service;
  };
  /** The one version that DNS knows of. */
  const version = async () => {
    const [found] = (await find()).versions;
    if (found === undefined) throw new TypeError('no version');
    return found;
  };
  const origins = async () => (await version()).endpoints.map(({ origin }) => origin);
  return { server, clock, errors, registry, find, version, origins };
}
