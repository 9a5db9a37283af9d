import type { Clock } from './clock.ts';
import type { Answer, Lookup, RecordType, RowOf } from './open-lookup.ts';

/** The bounds of a TTL: a record of 0 s must not cost a question a call, nor one of a day last one. */
const MIN_TTL_MS = 1_000;
const MAX_TTL_MS = 60_000;

export interface RecordMemoryOptions {
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
