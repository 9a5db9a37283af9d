import type { Config } from '../config/config.ts';
import type { DnsRegistryOptions } from '../gateway/registry/dns-registry.ts';

/** Whom the registry asks, and where DNS may lead, as the registry wants it. */
export function toDnsOptions({
  dns: { servers, allow },
}: Config): Pick<DnsRegistryOptions, 'servers' | 'allow'> {
  return { ...(servers && { servers }), ...(allow && { allow }) };
}
