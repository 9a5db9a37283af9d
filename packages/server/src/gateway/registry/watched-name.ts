import { isDeepStrictEqual } from 'node:util';
import type { Clock } from './dns-lookup.ts';
import type { Resolution, Resolved } from './resolve-targets.ts';
import { RegistryUnavailableError } from './service-registry.ts';

interface WatchedNameOptions {
  resolve: () => Promise<Resolved>;
  onError: (error: Error) => void;
  clock: Clock;
  refreshMs: number;
  /** How long the name is refreshed after it was last read. */
  idleMs: number;
}

export type WatchedName = ReturnType<typeof createWatchedName>;

/** Keeps the DNS result for one name, which is refreshed as long as it is used. */
export function createWatchedName(options: WatchedNameOptions) {
  const { resolve, onError, clock, refreshMs, idleMs } = options;
  let known: Resolution | undefined;
  let failure: RegistryUnavailableError | undefined;
  let pending: Promise<Resolution> | undefined;
  let reported = '';
  let used = false;
  let usedAt = 0;
  let closed = false;
  let cancelTimer = () => {};

  const report = (problems: readonly Error[]) => {
    const text = [...new Set(problems.map(({ message }) => message))].sort().join('; ');
    if (text !== reported && text !== '' && !closed)
      onError(new Error(text, { cause: problems[0] }));
    reported = text;
  };

  const schedule = (ms: number) => {
    if (!closed) cancelTimer = clock.after(Math.max(ms, 0), tick);
  };

  const ask = async () => {
    try {
      const { resolution, expires, problems } = await resolve();
      report(problems);
      if (!isDeepStrictEqual(known, resolution)) known = resolution;
      failure = undefined;
      schedule(expires - clock.now());
      return known ?? resolution;
    } catch (cause) {
      report([cause as Error]);
      known = undefined;
      failure = new RegistryUnavailableError((cause as Error).message, { cause });
      schedule(refreshMs);
      throw failure;
    } finally {
      pending = undefined;
    }
  };

  const refresh = () => {
    pending ??= ask();
    return pending;
  };

  const tick = () => {
    const now = clock.now();
    if (used) usedAt = now;
    used = false;
    if (now - usedAt < idleMs) {
      refresh().catch(() => {}); // The next reader gets it.
    } else {
      known = undefined;
      failure = undefined;
    }
  };

  return {
    /**
     * The same object while the result does not change. It only waits if nothing is known; all waiting callers
     * share one query.
     * @throws RegistryUnavailableError if DNS cannot be queried; immediately until the next attempt
     */
    read(): Resolution | Promise<Resolution> {
      if (closed) throw new RegistryUnavailableError('The registry is closed.');
      used = true;
      if (known !== undefined) return known;
      if (failure !== undefined) throw failure;
      return refresh();
    },
    close() {
      closed = true;
      cancelTimer();
    },
  };
}
