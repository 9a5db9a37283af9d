import type { singleFlight as onOtherPlatforms } from './single-flight.ts';

/** Milliseconds that a caller waits for what another one has begun. */
const PATIENCE = 5_000;
const LATE = Symbol();

/**
 * {@link onOtherPlatforms} for Workers: what a request has begun may end with it: its promise then
 * never settles, or fails for other requests alone. So nobody waits for others longer than a while.
 */
export const singleFlight: typeof onOtherPlatforms = (run) => {
  let pending: ReturnType<typeof run> | undefined;
  const begin = (argument: Parameters<typeof run>[0]) => {
    const mine = run(argument).finally(() => {
      if (pending === mine) pending = undefined;
    });
    pending = mine;
    return mine;
  };
  return async function call(argument) {
    const others = pending;
    if (!others) return begin(argument);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, LATE);
    });
    try {
      const value = await Promise.race([others, late]);
      if (value !== LATE) return value;
    } catch (error) {
      // What has failed by itself is no longer pending.
      if (pending !== others) throw error;
    } finally {
      clearTimeout(timer);
    }
    // The first who has waited long enough begins, and the rest wait for that.
    if (pending === others) pending = undefined;
    return call(argument);
  };
};
