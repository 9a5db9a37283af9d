import type { SrvRecord } from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds from any fixed point; never goes back. */
  now(): number;
  /** Calls `task` after `ms` milliseconds, and does not keep the process alive for it. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Asks this often before it gives up, of each server. */
const TRIES = 3;

/** The bounds of a TTL: a record of 0 s must not cost a question a call, nor one of a day last one. */
const MIN_TTL_MS = 1_000;

const MAX_TTL_MS = 60_000;

type Answer<Row> =
  | { readonly kind: 'found'; readonly rows: readonly Row[]; readonly ttlSeconds?: number }
  /** The name is there, but has no such record. */
  | { readonly kind: 'no-data' }
  /** There is no such name, of no type. */
  | { readonly kind: 'no-name' };

type RecordType = 'A' | 'AAAA' | 'SRV';

type RowOf<Type extends RecordType> = Type extends 'SRV' ? SrvRecord : string;

/** Questions that share one resolver. */
export interface Lookup {
  /** @throws Error with a code of `node:dns` where there is no answer */
  query<Type extends RecordType>(type: Type, name: string): Promise<Answer<RowOf<Type>>>;
  /** Ends all that is asked with an error. */
  cancel(): void;
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

interface RecordMemoryOptions {
  clock: Clock;
  /** How long an answer without a TTL counts (SRV, and that there is nothing), and a failure. */
  refreshMs: number;
  /** How long an answer outlives its TTL where the question fails. */
  staleMs: number;
}

interface Recalled<Row> {
  readonly answer: Answer<Row>;
  /** When to ask again, on the clock. */
  readonly expires: number;
  /** Why the answer is an old one. */
  readonly problem?: Error;
}

/** The last answers to the questions of one name. */
export interface RecordMemory {
  /**
   * The answer of memory while its TTL lasts, else that of `lookup`, else the last known one.
   *
   * @throws Error where the question fails, and nothing that is known is young enough
   */
  ask<Type extends RecordType>(
    lookup: Lookup,
    type: Type,
    name: string,
  ): Promise<Recalled<RowOf<Type>>>;
  /** Forgets what was not asked since the last time, so that it holds one answer's worth of names. */
  sweep(): void;
}

export function createRecordMemory(options: RecordMemoryOptions): RecordMemory {
  const { clock, refreshMs, staleMs } = options;
  let known = new Map<string, Recalled<unknown>>();
  let asked = new Map<string, Recalled<unknown>>();

  const lifetime = (answer: Answer<unknown>) => {
    if (answer.kind !== 'found' || answer.ttlSeconds === undefined) return refreshMs;
    return Math.min(Math.max(answer.ttlSeconds * 1_000, MIN_TTL_MS), MAX_TTL_MS);
  };

  const recall = async (lookup: Lookup, type: RecordType, name: string) => {
    const key = `${type} ${name}`;
    const last = known.get(key);
    if (last !== undefined && clock.now() < last.expires) {
      asked.set(key, last);
      return last;
    }
    try {
      const answer = await lookup.query(type, name);
      const fresh = { answer, expires: clock.now() + lifetime(answer) };
      asked.set(key, fresh);
      return fresh;
    } catch (cause) {
      const problem = new Error(`DNS: ${(cause as Error).message}`, { cause });
      if (last === undefined || clock.now() >= last.expires + staleMs) throw problem;
      asked.set(key, last);
      return { answer: last.answer, expires: clock.now() + refreshMs, problem };
    }
  };

  return {
    ask: (lookup, type, name) => recall(lookup, type, name) as Promise<Recalled<never>>,
    sweep() {
      known = asked;
      asked = new Map();
    },
  };
}

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
