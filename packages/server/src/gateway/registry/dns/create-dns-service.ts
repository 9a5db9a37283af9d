import { isIPv6 } from 'node:net';
import type { Endpoint, Service, ServiceVersion } from '../../service-registry.ts';
import { reuseEndpoints, reuseVersion } from '../reuse-versions.ts';
import type { DnsServiceConfig } from '../service-config.ts';
import type { Resolution, Target } from './resolve-targets.ts';
import type { WatchedName } from './watched-name.ts';

export interface DnsService {
  find(): Service | Promise<Service>;
  /** The last thing that was found, for the one that comes after it. */
  readonly last: Service | undefined;
}

/** The one version of a service that DNS knows of. */
const VERSION = 'default';

function assertDns({ env, name, dns: { type, port } }: DnsServiceConfig): void {
  if (type === 'A' && !(Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536)) {
    throw new TypeError(`Service ${name} of ${env} needs a port, 1 to 65535.`);
  }
}

function toVersion(
  { dns }: DnsServiceConfig,
  { exists, targets }: Resolution,
  known: readonly ServiceVersion[],
): ServiceVersion {
  const reuse = reuseEndpoints(known);
  const shares = new Map<Endpoint, number>();
  const add = ({ address, host, port = dns.port, weight = 1 }: Target) => {
    const at = isIPv6(address) ? `[${address}]` : address;
    const { origin } = new URL(`${dns.scheme ?? 'http'}://${at}:${port}`);
    const endpoint = reuse(dns.scheme === 'https' ? { origin, servername: host } : { origin });
    shares.set(endpoint, (shares.get(endpoint) ?? 0) + weight);
  };
  targets.forEach(add);
  const even = new Set(shares.values()).size < 2;
  const version = {
    name: VERSION,
    weight: 100,
    endpoints: [...shares.keys()],
    hasResource: exists,
    ...(even ? {} : { shares }),
  };
  return reuseVersion(known, version);
}

/** @throws TypeError for `A` without a port */
export function createDnsService(
  config: DnsServiceConfig,
  name: () => WatchedName,
  previous: Service | undefined,
): DnsService {
  assertDns(config);
  let seen: Resolution | undefined;
  let last = previous;
  const fixed = {
    env: config.env,
    name: config.name,
    state: config.state ?? 'ready',
    callers: config.callers && new Set(config.callers),
    maxCalls: config.maxCalls,
  };
  let current: Service = { ...fixed, versions: [] };

  const toService = (resolution: Resolution): Service => {
    if (resolution === seen) return current;
    seen = resolution;
    const version = toVersion(config, resolution, last?.versions ?? []);
    if (current.versions[0] !== version) current = { ...fixed, versions: [version] };
    last = current;
    return current;
  };

  return {
    get last() {
      return last;
    },
    find() {
      if (fixed.state !== 'ready') return current;
      const resolution = name().read();
      return resolution instanceof Promise ? resolution.then(toService) : toService(resolution);
    },
  };
}
