import { createDnsRegistry, type DnsRegistryOptions } from './dns-registry.ts';
import type {
  DnsServiceConfig,
  ServiceConfig,
  ServiceRegistry,
  StaticServiceConfig,
} from './service-registry.ts';

import { createStaticRegistry } from './static-registry.ts';

export interface CombinedRegistry extends ServiceRegistry {
  /**
   * Replaces the services, all of them or none. What did not change is kept: see the two registries.
   *
   * @throws TypeError for a bad endpoint or port, or a service that stands there twice; the old stay
   */
  update(services: readonly ServiceConfig[]): void;
}

const isDns = (service: ServiceConfig): service is DnsServiceConfig => 'dns' in service;
const isStatic = (service: ServiceConfig): service is StaticServiceConfig => !isDns(service);

/**
 * Services of both kinds, each as its configuration says.
 *
 * @example
 * const registry = createCombinedRegistry([
 *   { env: 'dev', name: 'hello', versions: [{ name: 'v1', endpoints: ['http://127.0.0.1:9000'] }] },
 *   { env: 'dev', name: 'orders', dns: { type: 'SRV', name: '_http._tcp.orders.default.svc.cluster.local' } },
 * ]);
 */
export function createCombinedRegistry(
  services: readonly ServiceConfig[],
  options?: DnsRegistryOptions,
): CombinedRegistry {
  const fixed = createStaticRegistry([]);
  const dns = createDnsRegistry([], options);

  const update = (next: readonly ServiceConfig[]) => {
    const statics = next.filter(isStatic);
    const taken = new Set(statics.map(({ env, name }) => `${env}/${name}`));
    const twice = next.find((one) => isDns(one) && taken.has(`${one.env}/${one.name}`));
    if (twice !== undefined) {
      throw new TypeError(`Service ${twice.name} of ${twice.env} is configured twice.`);
    }
    const commits = [fixed.prepare(statics), dns.prepare(next.filter(isDns))];
    for (const commit of commits) commit();
  };

  update(services);
  return {
    find: (env, name) => fixed.find(env, name) ?? dns.find(env, name),
    update,
    async close() {
      await Promise.all([fixed.close(), dns.close()]);
    },
  };
}
