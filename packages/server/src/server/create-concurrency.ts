import type { EventEmitter } from 'node:events';
import type { Config } from '../config/config.ts';

const UNLIMITED = () => {};

/** Whom something is counted for: the ID of a caller, or the address of a caller that has none. */
type Holder = `caller ${string}` | `address ${string}`;

/**
 * Counts what is in progress in each environment with `concurrency`, so that one caller cannot use up what all
 * share. A count that returns to 0 is forgotten.
 */
export function createConcurrency(environments: () => Config['environments']) {
  const byEnvironment = new Map<string, number>();
  const byHolder = new Map<string, number>();

  /** Returns the function to call at the end; `undefined` if a limit is reached. */
  function take(env: string, holder: Holder): (() => void) | undefined {
    const all = environments();
    const limit = Object.hasOwn(all, env) ? all[env]?.concurrency : undefined;
    if (limit === undefined) return UNLIMITED;
    const { calls, perCaller = Math.ceil(calls / 2) } = limit;
    const own = `${env} ${holder}`;
    const isFull = (byEnvironment.get(env) ?? 0) >= calls || (byHolder.get(own) ?? 0) >= perCaller;
    if (isFull) return undefined;
    const change = (by: number) => {
      add(byEnvironment, env, by);
      add(byHolder, own, by);
    };
    change(1);
    return () => change(-1);
  }

  return {
    take,
    /** Counts until `held` closes. Returns false if a limit is reached. */
    takeUntilClose(
      env: string,
      holder: Holder,
      held: EventEmitter & { readonly destroyed: boolean },
    ): boolean {
      const release = take(env, holder);
      if (held.destroyed) release?.();
      else if (release !== undefined && release !== UNLIMITED) held.once('close', release);
      return release !== undefined;
    },
    /** What is in progress, by environment. */
    counts: () => byEnvironment as ReadonlyMap<string, number>,
  };
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
