import { StorageError, type StorageErrorCode } from '@berth/server-stubs/contract';
import { StoreUnavailableError } from './blob-store.ts';
import type { StorageContext } from './context.ts';

/** Enough to hide the latency of a store without overloading it. */
const AT_ONCE = 8;

interface Batch<Item, Result> {
  readonly touches: (item: Item) => Touched;
  readonly run: (item: Item) => Promise<Result>;
  /** Returns the entry for an item for which the store failed. */
  readonly toFailed: (item: Item, code: StorageErrorCode) => Result;
}

/**
 * Results are in request order (D25). D30: one invalid item never fails the valid ones. If the store fails
 * for all items, nothing was done: the entire call fails, so that clients that check only the status retry
 * it.
 */
export async function runBatch<Item, Result>(
  items: readonly Item[],
  { touches, run, toFailed }: Batch<Item, Result>,
  { onError }: Pick<StorageContext, 'onError'>,
  requestId: string,
): Promise<Result[]> {
  const failures: unknown[] = [];
  const results = await runInOrder(items, touches, async (item) => {
    try {
      return await run(item);
    } catch (error) {
      failures.push(error);
      onError(error, requestId);
      return toFailed(
        item,
        error instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'SYS_ERR',
      );
    }
  });
  if (items.length === 0 || failures.length < items.length) return results;
  const [first] = failures;
  if (!(first instanceof StoreUnavailableError)) throw first;
  throw new StorageError('SERVICE_UNAVAILABLE', { cause: first });
}

export interface Touched {
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
}

/**
 * Runs items concurrently, with the same outcome as if they ran in sequence: an item waits for earlier items
 * that write a file that it uses, or use a file that it writes. None waits for a later one.
 */
export async function runInOrder<Item, Result>(
  items: readonly Item[],
  touches: (item: Item) => Touched,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const order = new Order();
  const turns = new Turns(AT_ONCE);
  return Promise.all(
    items.map((item) => order.follow(touches(item), () => turns.take(() => run(item)))),
  );
}

interface Last {
  write: Promise<unknown> | undefined;
  /** Reads since the last write. */
  reads: Promise<unknown>[];
}

class Order {
  readonly #files = new Map<string, Last>();

  follow<Result>({ reads = [], writes = [] }: Touched, run: () => Promise<Result>) {
    const read = reads.map((path) => this.#lastOf(path));
    const written = writes.map((path) => this.#lastOf(path));
    const before = [
      ...read.map(({ write }) => write),
      ...written.flatMap(({ write, reads: others }) => [write, ...others]),
    ].filter((promise) => promise !== undefined);
    const done = before.length === 0 ? run() : Promise.all(before).then(run);
    for (const last of read) last.reads.push(done);
    for (const last of written) Object.assign(last, { write: done, reads: [] });
    return done;
  }

  #lastOf(path: string): Last {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const last: Last = { write: undefined, reads: [] };
    this.#files.set(path, last);
    return last;
  }
}

class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
