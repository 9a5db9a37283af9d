import { isIPv6 } from 'node:net';
import { createAddressPolicy } from './address-policy.ts';
import {
  type Clock,
  createRecordCache,
  type Lookup,
  openLookup,
  systemClock,
} from './dns-lookup.ts';
import { type Resolution, resolveTargets } from './resolve-targets.ts';
import type {
  DnsServiceConfig,
  DnsSource,
  Endpoint,
  Service,
  ServiceConfig,
  ServiceRegistry,
  ServiceVersion,
  VersionConfig,
} from './service-registry.ts';
import { createWatchedName, type WatchedName } from './watched-name.ts';

/** The only version of a service that is resolved with DNS. */
const VERSION = 'default';

export interface RegistryOptions {
  /** DNS servers, such as `10.96.0.10` or `[fd00::a]:53`. Default: the machine's. */
  readonly servers?: readonly string[] | undefined;
  /** Timeout of one query in seconds, across all attempts and servers. Default: 4. */
  readonly timeoutSeconds?: number;
  /**
   * How long, in seconds, to cache responses without a TTL: SRV records, and missing names or records. Also
   * the pause after a failed query. TTLs between 1 and 60 s are respected. Default: 5.
   */
  readonly refreshSeconds?: number;
  /**
   * How long a response outlives its TTL while DNS fails, in seconds. After that, calls get a
   * `RegistryUnavailableError`. A name that nobody has called for that long is no longer resolved. Default:
   * 300.
   */
  readonly staleSeconds?: number;
  /**
   * The only address ranges that may be called, such as `['10.0.0.0/8']`. Default: all except loopback,
   * link-local, metadata and multicast addresses. Anyone who can change a service's records decides which
   * address the gateway calls, so set the range of the pods if you know it.
   */
  readonly allow?: readonly string[] | undefined;
  /** Called for failed queries and rejected addresses, once for each until it changes. */
  readonly onError?: (error: Error) => void;
  /** For tests. Default: the machine's clock. */
  readonly clock?: Clock;
}

export interface Registry extends ServiceRegistry {
  /**
   * Replaces all services, or none. What is known about a name that stays is kept, and so is everything about a
   * service whose configuration is the same object.
   *
   * @throws TypeError for an invalid endpoint, or `A` without a port; the old services stay in use
   */
  update(services: readonly ServiceConfig[]): void;
  /** Same as `update`, but returns a function that replaces the services. */
  prepare(services: readonly ServiceConfig[]): () => void;
}

type Found = Service | Promise<Service>;

interface Finder {
  readonly config: ServiceConfig;
  readonly find: () => Found;
}

/**
 * Creates a registry of hosted services, with endpoints from the configuration or from DNS. Only names in the
 * configuration are resolved, plus those that their SRV records point to, but never a name from a request. No
 * call waits for DNS once a name is known.
 *
 * - If the name does not exist (NXDOMAIN), the version has no resource.
 * - If there are no records, or no allowed address, the version has no endpoints.
 * - If there is no usable response (SERVFAIL, timeout, garbage), the last response is used for
 *   `staleSeconds`.
 *
 * @throws TypeError for an invalid endpoint, `A` without a port, an invalid range, or a server that is not an
 * address
 * @example
 * const registry = createRegistry(
 *   [
 *     { env: 'dev', name: 'hello', versions: [{ name: 'v1', endpoints: ['http://127.0.0.1:9000'] }] },
 *     { env: 'dev', name: 'orders', dns: { type: 'A', name: 'orders.default.svc.cluster.local', port: 80 } },
 *   ],
 *   { servers: ['10.96.0.10'], allow: ['10.0.0.0/8'] },
 * );
 * await registry.find('dev', 'orders');
 * // endpoints: [{ origin: 'http://10.1.2.3', servername: 'orders.default.svc.cluster.local' }, …]
 */
export function createRegistry(
  services: readonly ServiceConfig[],
  options: RegistryOptions = {},
): Registry {
  const { servers, timeoutSeconds = 4, refreshSeconds = 5, staleSeconds = 300 } = options;
  const { onError = () => {}, clock = systemClock } = options;
  const times = { clock, refreshMs: refreshSeconds * 1_000 };
  const staleMs = staleSeconds * 1_000;
  const allows = createAddressPolicy(options.allow);
  const open = () => openLookup(servers, timeoutSeconds * 1_000);
  open(); // Report an invalid address of a server now, not as an outage later.
  const lookups = new Set<Lookup>();
  const names = new Map<string, WatchedName>();
  let finders = new Map<string, Finder>();

  const watch = ({ type, name }: DnsSource): WatchedName => {
    const cache = createRecordCache({ ...times, staleMs });
    const resolve = async () => {
      const lookup = open();
      lookups.add(lookup);
      try {
        return await resolveTargets({ lookup, cache, allows }, type, name);
      } finally {
        lookups.delete(lookup);
      }
    };
    return createWatchedName({ ...times, idleMs: staleMs, onError, resolve });
  };

  const watchedOf = (source: DnsSource): WatchedName => {
    const watched = names.get(nameOf(source)) ?? watch(source);
    names.set(nameOf(source), watched);
    return watched;
  };

  const toFinder = (config: ServiceConfig): (() => Found) => {
    if ('dns' in config) return createDnsFinder(config, () => watchedOf(config.dns).read());
    const service = { ...toBase(config), versions: config.versions.map(toStaticVersion) };
    return () => service;
  };

  const prepare = (services: readonly ServiceConfig[]) => {
    const next = new Map<string, Finder>();
    const needed = new Set<string>();
    for (const config of services) {
      const key = keyOf(config.env, config.name);
      const known = finders.get(key);
      next.set(key, known?.config === config ? known : { config, find: toFinder(config) });
      if ('dns' in config) needed.add(nameOf(config.dns));
    }
    return () => {
      finders = next;
      for (const [name, watched] of names) {
        if (needed.has(name)) continue;
        watched.close();
        names.delete(name);
      }
    };
  };
  const update = (services: readonly ServiceConfig[]) => prepare(services)();

  update(services);
  return {
    find: (env, name) => finders.get(keyOf(env, name))?.find(),
    update,
    prepare,
    async close() {
      update([]);
      for (const lookup of lookups) lookup.cancel();
    },
  };
}

function nameOf({ type, name }: DnsSource): string {
  return `${type} ${name.toLowerCase()}`;
}

function keyOf(env: string, name: string): string {
  return `${env}/${name}`;
}

function toBase({ state = 'ready', callers, ...rest }: Omit<ServiceConfig, 'dns' | 'versions'>) {
  return { ...rest, state, callers: callers && new Set(callers) };
}

function toStaticVersion({ name, weight = 100, endpoints, hasResource = true }: VersionConfig) {
  const origins = new Set(endpoints.map(toOrigin));
  return { name, weight, endpoints: [...origins].map((origin) => ({ origin })), hasResource };
}

/**
 * Returns the origin of an endpoint, normalised: `http://Example:80/` becomes `http://example`.
 *
 * @throws TypeError for anything but `http:` or `https:` with a host and optionally a port
 */
function toOrigin(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new TypeError(
      `${endpoint} is not an endpoint: use http:// or https://, a host and optionally a port.`,
    );
  }
  return url.origin;
}

/** @throws TypeError for `A` without a port */
function createDnsFinder(
  config: DnsServiceConfig,
  read: () => Resolution | Promise<Resolution>,
): () => Found {
  const { type, port } = config.dns;
  if (type === 'A' && !(Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536)) {
    throw new TypeError(
      `The service ${config.name} in ${config.env} needs a port from 1 to 65535.`,
    );
  }
  const { dns, ...own } = config;
  const base = toBase(own);
  let seen: Resolution | undefined;
  let service: Service = { ...base, versions: [] };
  const toService = (resolution: Resolution): Service => {
    if (resolution !== seen) service = { ...base, versions: [toVersion(dns, resolution)] };
    seen = resolution;
    return service;
  };
  return () => {
    if (base.state !== 'ready') return service;
    const resolution = read();
    return resolution instanceof Promise ? resolution.then(toService) : toService(resolution);
  };
}

function toVersion(dns: DnsSource, { exists, targets }: Resolution): ServiceVersion {
  const endpoints = new Map<string, Endpoint>();
  const shares = new Map<Endpoint, number>();
  // RFC 2782: the name of a service follows the labels of its records, such as _http._tcp.
  const servername = dns.name.toLowerCase().replace(/^(?:_[^.]+\.)+|\.$/g, '');
  for (const { address, port = dns.port, weight = 1 } of targets) {
    const at = isIPv6(address) ? `[${address}]` : address;
    const { origin } = new URL(`${dns.scheme ?? 'http'}://${at}:${port}`);
    const endpoint = endpoints.get(origin) ?? { origin, servername };
    endpoints.set(origin, endpoint);
    shares.set(endpoint, (shares.get(endpoint) ?? 0) + weight);
  }
  const isEven = new Set(shares.values()).size < 2;
  return {
    name: VERSION,
    weight: 100,
    endpoints: [...shares.keys()],
    hasResource: exists,
    ...(!isEven && { shares }),
  };
}
