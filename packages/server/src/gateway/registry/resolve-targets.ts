import type { SrvRecord } from 'node:dns';
import type { Lookup, RecordCache } from './dns-lookup.ts';

/** Maximum number of endpoints of a service: a response over TCP may contain thousands of records. */
const MAX_TARGETS = 256;

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const byPlace = (a: Target, b: Target) =>
  compare(a.host, b.host) || (a.port ?? 0) - (b.port ?? 0) || compare(a.address, b.address);

/** The target "." means that the service is decidedly not available (RFC 2782). */
const leadsSomewhere = ({ name, port }: SrvRecord) => name !== '' && name !== '.' && port > 0;

/**
 * Resolves the endpoints of a service.
 * @throws Error if there is no response, and no earlier one is recent enough
 */
export async function resolveTargets(
  context: ResolveContext,
  type: 'A' | 'SRV',
  name: string,
): Promise<Resolved> {
  try {
    return await (type === 'SRV' ? resolveSrv(context, name) : resolveAddresses(context, name));
  } finally {
    context.cache.sweep();
  }
}

async function resolveSrv(context: ResolveContext, name: string): Promise<Resolved> {
  const { response, problem, ...rest } = await context.cache.ask(context.lookup, 'SRV', name);
  let { expires } = rest;
  const problems = problem ? [problem] : [];
  const result = (targets: readonly Target[]) => ({
    resolution: { exists: response.kind !== 'no-name', targets: targets.slice(0, MAX_TARGETS) },
    expires,
    problems,
  });
  if (response.kind !== 'found') return result([]);

  const records = response.rows
    .filter(leadsSomewhere)
    .map((record) => ({ ...record, name: record.name.toLowerCase() }))
    .sort((a, b) => a.priority - b.priority || compare(a.name, b.name) || a.port - b.port)
    .slice(0, MAX_TARGETS);
  let failure: unknown;
  // RFC 2782: "A client MUST attempt to contact the target host with the lowest-numbered priority it can
  // reach". All that we know here is whether it has an address.
  for (const group of Map.groupBy(records, ({ priority }) => priority).values()) {
    const hosts = [...new Set(group.map((record) => record.name))];
    const found = new Map<string, readonly Target[]>();
    const settled = await Promise.allSettled(
      hosts.map(async (host) => {
        const addresses = await resolveAddresses(context, host);
        expires = Math.min(expires, addresses.expires);
        problems.push(...addresses.problems);
        found.set(host, addresses.resolution.targets);
      }),
    );
    const failures = settled.filter((one) => one.status === 'rejected').map((one) => one.reason);
    problems.push(...failures);
    failure ??= failures[0];
    const targets = group.flatMap(({ name: host, port, weight }) => {
      const addresses = found.get(host) ?? [];
      return addresses.map((target) => ({ ...target, port, weight: weight / addresses.length }));
    });
    if (targets.length > 0) return result(targets.sort(byPlace));
  }
  if (failure !== undefined) throw failure;
  return result([]);
}

interface Target {
  readonly address: string;
  /** Name that resolved to the address. */
  readonly host: string;
  readonly port?: number;
  readonly weight?: number;
}

export interface Resolution {
  readonly exists: boolean;
  /** In an order that does not depend on the order of the records, which servers rotate. */
  readonly targets: readonly Target[];
}

export interface Resolved {
  readonly resolution: Resolution;
  readonly expires: number;
  readonly problems: readonly Error[];
}

interface ResolveContext {
  lookup: Lookup;
  cache: RecordCache;
  allows: (address: string) => boolean;
}

/**
 * Returns the IPv4 addresses of a name, otherwise its IPv6 addresses: both usually belong to the same
 * machines.
 */
async function resolveAddresses(context: ResolveContext, host: string): Promise<Resolved> {
  const problems: Error[] = [];
  let expires = Number.POSITIVE_INFINITY;
  let exists = true;
  let addresses: readonly string[] = [];
  for (const type of ['A', 'AAAA'] as const) {
    const { response, problem, ...rest } = await context.cache.ask(context.lookup, type, host);
    expires = Math.min(expires, rest.expires);
    if (problem !== undefined) problems.push(problem);
    exists &&= type === 'AAAA' || response.kind !== 'no-name';
    if (response.kind === 'found') addresses = response.rows;
    if (response.kind !== 'no-data') break;
  }
  const allowed = addresses.filter(context.allows);
  if (allowed.length < addresses.length) {
    const refused = addresses.filter((address) => !context.allows(address)).sort();
    const some = refused.slice(0, 3).join(', ');
    problems.push(new Error(`DNS: ${host} has addresses that are not allowed: ${some}`));
  }
  const targets = [...new Set(allowed)].map((address) => ({ address, host })).sort(byPlace);
  const resolution = { exists, targets: targets.slice(0, MAX_TARGETS) };
  return { resolution, expires, problems };
}
