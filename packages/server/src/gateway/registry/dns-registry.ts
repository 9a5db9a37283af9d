import { isIPv6 } from 'node:net';
import { createAddressPolicy } from './address-policy.ts';
import {
  type Clock,
  createRecordMemory,
  type Lookup,
  openLookup,
  systemClock,
} from './dns-lookup.ts';
import { type Resolution, resolveTargets, type Target } from './resolve-targets.ts';
import {
  createServiceTable,
  type DnsServiceConfig,
  type DnsSource,
  type Endpoint,
  reuseEndpoints,
  reuseVersion,
  type Service,
  type ServiceRegistry,
  type ServiceVersion,
} from './service-registry.ts';
import { createWatchedName, type WatchedName } from './watched-name.ts';

/** The one version of a service that DNS knows of. */
const VERSION = 'default';

const keyOf = ({ type, name }: DnsSource) => `${type} ${name.toLowerCase()}`;

export interface DnsRegistryOptions {
  /** Resolvers to ask, such as `10.96.0.10` or `[fd00::a]:53`. Default: those of the machine. */
  readonly servers?: readonly string[];
  /** How long one question may take, all tries and servers together. Default: 4. */
  readonly timeoutSeconds?: number;
  /**
   * How long an answer without a TTL counts: SRV records, and that there is nothing. Also when a
   * failed question is asked again. TTLs count as they come, 1 to 60 s. Default: 5.
   */
  readonly refreshSeconds?: number;
  /**
   * How long an answer outlives its TTL while DNS is gone. Then calls get `RegistryUnavailableError`.
   * A name that nobody called for so long is no longer asked for. Default: 300.
   */
  readonly staleSeconds?: number;
  /**
   * The only ranges of addresses to call, such as `['10.0.0.0/8']`. Default: all but loopback,
   * link-local, metadata and multicast addresses. Whoever can change the records of a service decides
   * whom the gateway calls: say the range of the pods where it is known.
   */
  readonly allow?: readonly string[];
  /** Hears of failed questions and refused addresses, of each once until it changes. */
  readonly onError?: (error: Error) => void;
  /** For tests. Default: the machine's. */
  readonly clock?: Clock;
}

export interface DnsRegistry extends ServiceRegistry {
  /**
   * Replaces the services. What is known of a name that stays is kept, and so are the endpoints of a
   * service that stays.
   *
   * @throws TypeError for `A` without a port; the old services stay
   */
  update(services: readonly DnsServiceConfig[]): void;
  /** An update in two steps: checks and makes all, and changes nothing until the result is called. */
  prepare(services: readonly DnsServiceConfig[]): () => void;
}

/**
 * Services whose endpoints come from DNS. Only names of the configuration are asked for, and those that
 * their SRV records lead to: never one from a request. No call waits for DNS once a name is known.
 *
 * - no such name (NXDOMAIN): the version has no resource;
 * - no records, or no allowed address: it has no endpoints;
 * - no answer (SERVFAIL, timeout, garbage): the last one stays for `staleSeconds`.
 *
 * @throws TypeError for `A` without a port, a range that is none, or a server that is no address
 * @example
 * const registry = createDnsRegistry(
 *   [{ env: 'dev', name: 'orders', dns: { type: 'A', name: 'orders.default.svc.cluster.local', port: 80 } }],
 *   { servers: ['10.96.0.10'], allow: ['10.0.0.0/8'] },
 * );
 * await registry.find('dev', 'orders'); // endpoints: [{ origin: 'http://10.1.2.3' }, …]
 */
export function createDnsRegistry(
  services: readonly DnsServiceConfig[],
  options: DnsRegistryOptions = {},
): DnsRegistry {
  const { servers, timeoutSeconds = 4, refreshSeconds = 5, staleSeconds = 300 } = options;
  const { onError = () => {}, clock = systemClock } = options;
  const times = { clock, refreshMs: refreshSeconds * 1_000 };
  const staleMs = staleSeconds * 1_000;
  const allows = createAddressPolicy(options.allow);
  const open = () => openLookup(servers, timeoutSeconds * 1_000);
  open(); // A bad address of a server is a mistake now, and not an outage later.
  const lookups = new Set<Lookup>();
  const names = new Map<string, WatchedName>();

  const watch = ({ type, name }: DnsSource): WatchedName => {
    const memory = createRecordMemory({ ...times, staleMs });
    const resolve = async () => {
      const lookup = open();
      lookups.add(lookup);
      try {
        return await resolveTargets({ lookup, memory, allows }, type, name);
      } finally {
        lookups.delete(lookup);
      }
    };
    return createWatchedName({ ...times, idleMs: staleMs, onError, resolve });
  };

  const nameOf = (source: DnsSource): WatchedName => {
    const watched = names.get(keyOf(source)) ?? watch(source);
    names.set(keyOf(source), watched);
    return watched;
  };

  const table = createServiceTable<DnsServiceConfig, DnsService>((config, previous) =>
    createDnsService(config, () => nameOf(config.dns), previous?.last),
  );

  const prepare = (next: readonly DnsServiceConfig[]) => {
    const commit = table.prepare(next);
    return () => {
      commit();
      const needed = new Set(next.map(({ dns }) => keyOf(dns)));
      for (const [key, watched] of names) {
        if (needed.has(key)) continue;
        watched.close();
        names.delete(key);
      }
    };
  };

  prepare(services)();
  return {
    find: (env, name) => table.get(env, name)?.find(),
    prepare,
    update: (next) => prepare(next)(),
    async close() {
      prepare([])();
      for (const lookup of lookups) lookup.cancel();
    },
  };
}

/** @throws TypeError for `A` without a port */
function createDnsService(
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

interface DnsService {
  find(): Service | Promise<Service>;
  /** The last thing that was found, for the one that comes after it. */
  readonly last: Service | undefined;
}

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
