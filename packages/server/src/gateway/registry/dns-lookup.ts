import type { SrvRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';

export interface Clock {
  /** Returns milliseconds since any fixed point; monotonic. */
  now(): number;
  /** Calls `task` after `ms` milliseconds, without keeping the process alive. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};

const TRIES = 3;

/** Limits for a TTL: a record with 0 s must not cost a query per call, nor one with a day last that long. */
const MIN_TTL_MS = 1_000;

const MAX_TTL_MS = 60_000;

type DnsResponse<Row> =
  | { readonly kind: 'found'; readonly rows: readonly Row[]; readonly ttlSeconds?: number }
  | { readonly kind: 'no-data' }
  | { readonly kind: 'no-name' };

type RecordType = 'A' | 'AAAA' | 'SRV';

type RowOf<Type extends RecordType> = Type extends 'SRV' ? SrvRecord : string;

export type Lookup = ReturnType<typeof openLookup>;

/**
 * Opens a resolver for the queries of one refresh. Each refresh gets a new one, because resolvers keep state:
 * a new resolver reads the current resolv.conf, and its timeout does not depend on earlier responses
 * (nodejs/node#57839).
 */
export function openLookup(servers: readonly string[] | undefined, timeoutMs: number) {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / (TRIES + 1)), tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  return {
    cancel,
    /** @throws Error with a code of `node:dns` if there is no response */
    async query<Type extends RecordType>(
      type: Type,
      name: string,
    ): Promise<DnsResponse<RowOf<Type>>> {
      // The resolver doubles its timeout with each attempt, separately for each server.
      const timer = setTimeout(cancel, timeoutMs).unref();
      try {
        return (await ask(resolver, type, name)) as DnsResponse<never>;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOTFOUND') return { kind: 'no-name' };
        if (code === 'ENODATA') return { kind: 'no-data' };
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface RecordCacheOptions {
  clock: Clock;
  /** How long to cache responses without a TTL (SRV, and missing names or records), and failures. */
  refreshMs: number;
  staleMs: number;
}

interface CachedRecords<Row> {
  readonly response: DnsResponse<Row>;
  readonly expires: number;
  readonly problem?: Error;
}

export type RecordCache = ReturnType<typeof createRecordCache>;

/** The latest responses to the queries for one name. */
export function createRecordCache(options: RecordCacheOptions) {
  const { clock, refreshMs, staleMs } = options;
  let known = new Map<string, CachedRecords<unknown>>();
  let asked = new Map<string, CachedRecords<unknown>>();

  const lifetime = (response: DnsResponse<unknown>) => {
    if (response.kind !== 'found' || response.ttlSeconds === undefined) return refreshMs;
    return Math.min(Math.max(response.ttlSeconds * 1_000, MIN_TTL_MS), MAX_TTL_MS);
  };

  const recall = async (lookup: Lookup, type: RecordType, name: string) => {
    const key = `${type} ${name}`;
    const last = known.get(key);
    if (last !== undefined && clock.now() < last.expires) {
      asked.set(key, last);
      return last;
    }
    try {
      const response = await lookup.query(type, name);
      const fresh = { response, expires: clock.now() + lifetime(response) };
      asked.set(key, fresh);
      return fresh;
    } catch (cause) {
      const problem = new Error(`DNS: ${(cause as Error).message}`, { cause });
      if (last === undefined || clock.now() >= last.expires + staleMs) throw problem;
      asked.set(key, last);
      return { response: last.response, expires: clock.now() + refreshMs, problem };
    }
  };

  return {
    /**
     * Returns the cached response while its TTL lasts, otherwise that of `lookup`, otherwise the last known
     * one.
     * @throws Error if the query fails, and nothing that is known is recent enough
     */
    ask: <Type extends RecordType>(lookup: Lookup, type: Type, name: string) =>
      recall(lookup, type, name) as Promise<CachedRecords<RowOf<Type>>>,
    /** Forgets what was not queried since the last call, which limits the size of the cache. */
    sweep() {
      known = asked;
      asked = new Map();
    },
  };
}

async function ask(
  resolver: Resolver,
  type: RecordType,
  name: string,
): Promise<DnsResponse<unknown>> {
  if (type === 'SRV') return { kind: 'found', rows: await resolver.resolveSrv(name) };
  const found = await (type === 'A'
    ? resolver.resolve4(name, { ttl: true })
    : resolver.resolve6(name, { ttl: true }));
  return {
    kind: 'found',
    rows: found.map(({ address }) => address),
    ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
  };
}
