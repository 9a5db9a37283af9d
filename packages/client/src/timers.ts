/** Timers with a longer delay fire at once. In milliseconds. */
export const MAX_TIMER = 2 ** 31 - 1;

/** Waits for a promise, or rejects with the reason of the signal, even if the promise never settles. */
export function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
    // A signal with a listener is kept in memory as long as the caller's signal.
    promise.finally(() => signal?.removeEventListener('abort', stop)).then(resolve, reject);
  });
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}
