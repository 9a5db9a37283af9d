import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type BlobStore, type CheckedFile, StoreUnavailableError } from './blob-store.ts';

/** Slow enough that no disk and no object store notices it; 1.4 TB in a day. */
const BYTES_PER_SECOND = 16 * 1024 * 1024;

const TIMES = {
  /** How often a process checks whether it is time to read. */
  poll: 10 * 60_000,
  /** How often the process that reads says so. If it says nothing for the lease, another one continues. */
  renewal: 60_000,
  /** If several processes begin at the same time, each has written its name by then, and the last one reads. */
  settle: 5_000,
};

const LEASE_MILLISECONDS = 15 * 60_000;

/** No environment has this name, because host name labels begin with a letter or digit (D12). */
const STATE = { env: '-scrub', path: 'state' };

const DAY_MILLISECONDS = 86_400_000;

export interface ScrubOptions {
  readonly days: number;
  readonly onDamage: (name: string, damage: string) => void;
  readonly onPass: (pass: { files: number; seconds: number }) => void;
  readonly onError: (error: unknown) => void;
  readonly times?: typeof TIMES;
}

interface State {
  readonly owner: string;
  readonly renewedAt: number;
  readonly startedAt: number;
  readonly files: number;
  readonly after?: string | undefined;
}

/**
 * Reads every file of a store once in that many days, slowly, in one process at a time, and reports damaged files.
 * A pass continues where it was interrupted.
 * @returns a function that stops it
 */
export function startScrub(store: BlobStore, options: ScrubOptions): () => Promise<void> {
  const { poll, renewal, settle } = options.times ?? TIMES;
  const owner = randomUUID();
  const stop = new AbortController();
  const { signal } = stop;
  const pause = (milliseconds: number) => wait(milliseconds, undefined, { signal, ref: false });

  const load = async (): Promise<State | undefined> => {
    try {
      const blob = await store.open(STATE);
      return blob && JSON.parse(await text(blob.read()));
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      // A damaged file is replaced.
      return undefined;
    }
  };
  const save = (state: Omit<State, 'owner' | 'renewedAt'>, renewedAt = Date.now()) => {
    const json = JSON.stringify({ ...state, owner, renewedAt } satisfies State);
    const content = Readable.from([Buffer.from(json)]);
    return store.write(STATE, content, { contentType: 'application/json' });
  };

  async function pass(): Promise<void> {
    const found = await load();
    const now = Date.now();
    if (found && found.owner !== owner && now - found.renewedAt < LEASE_MILLISECONDS) return;
    const isInterrupted = found?.after !== undefined;
    const dueAt = (found?.startedAt ?? 0) + options.days * DAY_MILLISECONDS;
    if (!isInterrupted && now < dueAt) return;
    let state = isInterrupted ? found : { startedAt: now, files: 0, after: '' };
    let renewedAt = now;
    let readyAt = now;
    const pace = async (bytes: number) => {
      signal.throwIfAborted();
      readyAt = Math.max(Date.now(), readyAt) + (bytes / BYTES_PER_SECOND) * 1000;
      if (readyAt > Date.now() + 1) await pause(readyAt - Date.now());
      if (Date.now() < renewedAt + renewal) return;
      if ((await load())?.owner !== owner) throw new TakenError();
      await save(state);
      renewedAt = Date.now();
    };
    try {
      await save(state);
      await pause(settle);
      if ((await load())?.owner !== owner) return;
      for await (const file of store.scan(state.after || undefined)) {
        const checked: CheckedFile | undefined = await file.check(pace);
        if (checked?.damage !== undefined) options.onDamage(file.name, checked.damage);
        state = { ...state, files: state.files + 1, after: file.name };
        await pace(0);
      }
    } catch (error) {
      if (error instanceof TakenError) return;
      // Another process may continue immediately.
      const isOurs = (await load())?.owner === owner;
      if (isOurs) await save(state, 0);
      throw error;
    }
    await save({ ...state, after: undefined }, 0);
    options.onPass({ files: state.files, seconds: (Date.now() - state.startedAt) / 1000 });
  }

  const running = (async () => {
    while (!signal.aborted) {
      await pass().catch((error) => signal.aborted || options.onError(error));
      await pause(poll * (0.5 + Math.random() / 2)).catch(() => {});
    }
  })();
  return () => {
    stop.abort();
    return running;
  };
}

class TakenError extends Error {}
