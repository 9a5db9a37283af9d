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
  Endpoint,
  Service,
  ServiceRegistry,
  ServiceSettings,
  ServiceVersion,
} from './service-registry.ts';
import { createWatchedName, type WatchedName } from './watched-name.ts';

export interface RegistryOptions {
  /** DNS servers, such as `10.96.0.10` or `[fd00::a]:53`. Default: the machine's. */
  readonly servers?: readonly string[] | undefined;
  readonly timeoutSeconds?: number;
  /**
   * How long, in seconds, to cache responses without a TTL: SRV records, and missing names or records. Also
   * the pause after a failed query.
   */
  readonly refreshSeconds?: number;
  /**
   * How long a response outlives its TTL while DNS fails, in seconds. A name that nobody has called for that
   * long is no longer resolved.
   */
  readonly staleSeconds?: number;
  /** The only address ranges that may be called. Default: see `createAddressPolicy`. */
  readonly allow?: readonly string[] | undefined;
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

export type DnsSource = NonNullable<ServiceSettings['dns']>;

type Environments = Readonly<
  Record<string, { readonly services: Readonly<Record<string, Partial<ServiceSettings>>> }>
>;

export interface Registry extends ServiceRegistry {
  /**
   * Builds the services of a configuration, and returns a function that replaces all of them. What is known about a
   * name that stays is kept and so is a service whose settings are the same object.
   * @throws TypeError for an invalid endpoint
   */
  prepare(environments: Environments): () => void;
  close(): Promise<void>;
}

type Found = Service | Promise<Service>;

interface Finder {
  readonly settings: Partial<ServiceSettings>;
  readonly find: () => Found;
}

/**
 * Creates a registry of hosted services, with endpoints from the configuration or from DNS. Only names in the
 * configuration are resolved, plus those that their SRV records point to, but never a name from a request. No
 * call waits for DNS once a name is known. If there is no usable response, the last one is used for `staleSeconds`.
 * @throws TypeError for an invalid range, or a server that is not an address
 */
export function createRegistry(options: RegistryOptions = {}): Registry {
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

  const toFinder = (
    env: string,
    name: string,
    settings: Partial<ServiceSettings>,
  ): (() => Found) => {
    const { versions, endpoints = [], dns, state, callers, ...limits } = settings;
    const base = {
      env,
      name,
      ...limits,
      state: state ?? ('ready' as const),
      callers: callers && new Set(callers),
    };
    if (dns !== undefined) return createDnsFinder(base, dns, () => watchedOf(dns).read());
    const all = versions ?? [{ name: 'v1', weight: 100, endpoints, hasResource: true }];
    const service = { ...base, versions: all.map(toStaticVersion) };
    return () => service;
  };

  const prepare: Registry['prepare'] = (environments) => {
    const next = new Map<string, Finder>();
    const needed = new Set<string>();
    for (const [env, { services }] of Object.entries(environments)) {
      for (const [name, settings] of Object.entries(services)) {
        const key = `${env}/${name}`;
        const known = finders.get(key);
        const isKept = known?.settings === settings;
        const find = isKept ? known.find : toFinder(env, name, settings);
        next.set(key, { settings, find });
        if (settings.dns !== undefined) needed.add(nameOf(settings.dns));
      }
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

  return {
    find: (env, name) => finders.get(`${env}/${name}`)?.find(),
    prepare,
    async close() {
      prepare({})();
      for (const lookup of lookups) lookup.cancel();
    },
  };
}

function nameOf({ type, name }: DnsSource): string {
  return `${type} ${name.toLowerCase()}`;
}

function toStaticVersion({
  endpoints,
  ...version
}: NonNullable<ServiceSettings['versions']>[number]): ServiceVersion {
  const origins = new Set(endpoints.map(toOrigin));
  return { ...version, endpoints: [...origins].map((origin) => ({ origin })) };
}

/**
 * Returns the origin of an endpoint, normalised: `http://Example:80/` becomes `http://example`.
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

function createDnsFinder(
  base: Omit<Service, 'versions'>,
  dns: DnsSource,
  read: () => Resolution | Promise<Resolution>,
): () => Found {
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

/** Returns the only version of a service that is resolved with DNS. */
function toVersion(dns: DnsSource, { exists, targets }: Resolution): ServiceVersion {
  const endpoints = new Map<string, Endpoint>();
  const shares = new Map<Endpoint, number>();
  // RFC 2782: the name of a service follows the labels of its records, such as _http._tcp.
  const servername = dns.name.toLowerCase().replace(/^(?:_[^.]+\.)+|\.$/g, '');
  for (const { address, port = dns.port, weight = 1 } of targets) {
    const at = isIPv6(address) ? `[${address}]` : address;
    const { origin } = new URL(`${dns.scheme}://${at}:${port}`);
    const endpoint = endpoints.get(origin) ?? { origin, servername };
    endpoints.set(origin, endpoint);
    shares.set(endpoint, (shares.get(endpoint) ?? 0) + weight);
  }
  const isEven = new Set(shares.values()).size < 2;
  return {
    name: 'default',
    weight: 100,
    endpoints: [...shares.keys()],
    hasResource: exists,
    ...(!isEven && { shares }),
  };
}
