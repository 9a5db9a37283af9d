import type { SrvRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';

export type Answer<Row> =
  | { readonly kind: 'found'; readonly rows: readonly Row[]; readonly ttlSeconds?: number }
  /** The name is there, but has no such record. */
  | { readonly kind: 'no-data' }
  /** There is no such name, of no type. */
  | { readonly kind: 'no-name' };

export type RecordType = 'A' | 'AAAA' | 'SRV';
export type RowOf<Type extends RecordType> = Type extends 'SRV' ? SrvRecord : string;

/** Questions that share one resolver. */
export interface Lookup {
  /** @throws Error with a code of `node:dns` where there is no answer */
  query<Type extends RecordType>(type: Type, name: string): Promise<Answer<RowOf<Type>>>;
  /** Ends all that is asked with an error. */
  cancel(): void;
}

/** Asks this often before it gives up, of each server. */
const TRIES = 3;

async function ask(resolver: Resolver, type: RecordType, name: string): Promise<Answer<unknown>> {
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

/**
 * Opens a resolver for the questions of one refresh. A fresh one each time, since it learns: it takes
 * up a changed resolv.conf, and the timeout is not what it made of the answers of yesterday
 * (nodejs/node#57839).
 */
export function openLookup(servers: readonly string[] | undefined, timeoutMs: number): Lookup {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / (TRIES + 1)), tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  return {
    cancel,
    async query(type, name) {
      // The resolver doubles its timeout with each try, and has it for each server anew.
      const timer = setTimeout(cancel, timeoutMs).unref();
      try {
        return (await ask(resolver, type, name)) as Answer<never>;
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
