import type { singleFlight as onOtherPlatforms } from './single-flight.ts';

/** How long a caller waits for another caller's run, in milliseconds. */
const MAX_WAIT = 5_000;
const LATE = Symbol();

/**
 * Like {@link onOtherPlatforms}, but for Workers. There, a promise may never settle once the request that
 * created it has ended, or may reject for all other requests. Callers therefore wait for each other only
 * for a limited time.
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
      timer = setTimeout(resolve, MAX_WAIT, LATE);
    });
    try {
      const value = await Promise.race([others, late]);
      if (value !== LATE) return value;
    } catch (error) {
      // A run that failed on its own is no longer pending.
      if (pending !== others) throw error;
    } finally {
      clearTimeout(timer);
    }
    // The first caller that has waited long enough starts over; the others wait for it.
    if (pending === others) pending = undefined;
    return call(argument);
  };
};
